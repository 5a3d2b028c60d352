package parley

import "strings"

// Dialog is a question that is open in an agent's terminal, as its screen shows it.
type Dialog struct {
	ID       string         `json:"dialog_id"` // of what is asked and offered: another dialog has another id
	Question string         `json:"question"`
	Lines    []string       `json:"lines"` // all that the dialog says above its options
	Options  []DialogOption `json:"options"`
	// TakesText says that a line of text is an answer too.
	TakesText bool `json:"takes_text,omitempty"`
	// Secret says that it asks for a secret, which parley never types.
	Secret bool `json:"secret,omitempty"`
}

// DialogOption is one answer that a dialog offers.
type DialogOption struct {
	Choice    string `json:"choice"` // what names it in an answer: its number, or the letters that it is
	Label     string `json:"label"`
	Detail    string `json:"detail,omitempty"`
	Marked    bool   `json:"marked,omitempty"`     // Enter would choose it
	TakesText bool   `json:"takes_text,omitempty"` // it is answered with a text
}

// Find returns the option with this number or label, in any case. A label may be shortened as long
// as one option begins so.
func (d *Dialog) Find(choice string) (DialogOption, bool) {
	choice = strings.ToLower(CleanLine(choice))
	var begin []DialogOption
	for _, o := range d.Options {
		label := strings.ToLower(o.Label)
		switch {
		case choice == strings.ToLower(o.Choice), choice == label:
			return o, true
		case choice != "" && strings.HasPrefix(label, choice):
			begin = append(begin, o)
		}
	}

	if len(begin) != 1 {
		return DialogOption{}, false
	}
	return begin[0], true
}

// Choices lists the numbers and labels of the options, for people.
func (d *Dialog) Choices() string {
	var words []string
	for _, o := range d.Options {
		word := o.Choice
		if !strings.EqualFold(o.Label, o.Choice) {
			word += " (" + Truncate(o.Label, 40) + ")"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// AnswerDialogRequest asks for the dialog of an agent, or answers it.
type AnswerDialogRequest struct {
	Agent  string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Dialog string `json:"dialog_id,omitempty" doc:"With an answer: the dialog that was seen. Nothing is sent when another one is open now." max:"32"`
	Choice string `json:"choice,omitempty" doc:"The option to choose: its number or its label. Without an answer, the dialog is only shown." max:"200"`
	Text   string `json:"text,omitempty" doc:"The text to type, where the dialog takes one: one line." max:"2000"`
}

// Answers reports whether the request answers the dialog.
func (r *AnswerDialogRequest) Answers() bool { return r.Choice != "" || r.Text != "" }

// Validate checks that an answer says which dialog it is for, and cleans its text.
func (r *AnswerDialogRequest) Validate() error {
	r.Text = strings.TrimSpace(Clean(r.Text))
	if strings.Contains(r.Text, "\n") {
		return Errorf(InvalidArgument, "the text has several lines").With("parameter", "text").
			Suggest("Give one line: an Enter would end the answer.")
	}
	if r.Answers() && r.Dialog == "" {
		return Errorf(InvalidArgument, "which dialog is answered is not said").With("parameter", "dialog_id").
			Suggest("Look at it first: without an answer, this call shows the dialog with its dialog_id.")
	}
	return nil
}

// AnswerDialogResult is what the agent's screen shows, after the answer if there was one.
type AnswerDialogResult struct {
	Answer
	AgentID  string   `json:"agent_id"`
	Name     string   `json:"name"`
	Answered string   `json:"answered,omitempty"` // what was chosen or typed; "" if the dialog was only shown
	Dialog   *Dialog  `json:"dialog"`             // that is open now; null if none is
	Screen   []string `json:"screen"`             // the last lines of the screen now
	Message  string   `json:"message"`
}
