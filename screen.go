package parley

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// ReadTerminalRequest asks for the screen of an agent.
type ReadTerminalRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	History int    `json:"history,omitempty" doc:"Lines above the screen to include." min:"0" max:"2000"`
	Colours bool   `json:"colours,omitempty" alias:"colors" doc:"Keep colours and styles as escape sequences."`
}

// ReadTerminalResult is a screen without trailing blank lines.
type ReadTerminalResult struct {
	Answer
	AgentID string    `json:"agent_id"`
	Name    string    `json:"name"`
	Lines   []string  `json:"lines"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	CursorX int       `json:"cursor_x"`
	CursorY int       `json:"cursor_y"`
	Hidden  bool      `json:"cursor_hidden,omitempty"` // the program hides its cursor
	Keys    bool      `json:"takes_keys,omitempty"`    // the caller may type into it over type_in_terminal
	Title   string    `json:"title,omitempty"`
	At      time.Time `json:"at"`
}

// TypeInTerminalRequest types into an agent's terminal for a person who looks at it elsewhere, such as in a browser.
type TypeInTerminalRequest struct {
	Agent string   `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	Text  string   `json:"text,omitempty" doc:"What is typed: one line, without the Enter." max:"2000"`
	Keys  []string `json:"keys,omitempty" doc:"Keys that are pressed after the text, by tmux's names, such as Enter, Up or C-c." max:"32"`

	Dialog string `json:"dialog_id,omitempty" doc:"The dialog that was seen, or none: nothing is typed when another one is open now." max:"32"`
}

// NoDialog stands for a dialog where none was open.
const NoDialog = "none"

// typedKey matches the keys of a keyboard by tmux's names: they become words of a command.
var typedKey = regexp.MustCompile(`^(?:(?:[CMS]-){0,3}(?:Enter|Escape|Space|Tab|BTab|BSpace|Up|Down|Left|Right|Home|End|` +
	`PageUp|PageDown|IC|DC|F[1-9]|F1[0-2])|[CM]-[a-z0-9])$`)

// Validate cleans the text of what is no key, and checks that it is one line and that the keys are some of a keyboard.
func (r *TypeInTerminalRequest) Validate() error {
	if r.Text = plain.CleanKeys(r.Text); strings.ContainsAny(r.Text, "\n\t") {
		return Errorf(InvalidArgument, "the text has several lines, or a tab").With("parameter", "text").
			Suggest("Send a long text as a message, and press Enter and Tab as keys.")
	}
	for _, key := range r.Keys {
		if !typedKey.MatchString(key) {
			return Errorf(InvalidArgument, "%q is not a key that can be pressed", plain.CleanLine(plain.Truncate(key,
				20))).
				With("parameter", "keys").Suggest("Name keys as tmux does, such as Enter, Up, C-c or F5.")
		}
	}
	if r.Text == "" && len(r.Keys) == 0 {
		return Errorf(InvalidArgument, "there is nothing to type").With("parameter", "text").
			Suggest("Give a text, or keys.")
	}
	return nil
}

// TypeInTerminalResult says that everything was typed.
type TypeInTerminalResult struct {
	Answer
	AgentID string `json:"agent_id"`
	Name    string `json:"name"`
}

// ruleCharacters are those that lines are drawn with. A line of nothing else carries no text.
const ruleCharacters = " ─━═╌╍┄┅┈┉-=_"

// deadPane begins tmux's own line below what a program that has ended left on its screen.
const deadPane = "Pane is dead ("

// ScreenLine returns a line of a program's screen as it is quoted to people: clean, and with spaces in place of what
// is only drawn, such as spinners of braille dots, pictures and bars of blocks.
func ScreenLine(line string) string {
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r == '\t' || r >= 0x2580 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff {
			return ' '
		}
		return r
	}, plain.Clean(line)), " ")
}

// ScreenEnd returns the last n lines of a screen that carry text, as they are quoted.
func ScreenEnd(lines []string, n int) []string {
	end := []string{}
	for _, line := range lines {
		if line = ScreenLine(line); strings.Trim(line, ruleCharacters) != "" && !strings.HasPrefix(line, deadPane) {
			end = append(end, line)
		}
	}
	return end[max(0, len(end)-n):]
}

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
	// Hints is what it says of its keys, such as "Tab to navigate": not all that it takes are options.
	Hints string `json:"hints,omitempty"`
}

// DialogOption is one answer that a dialog offers.
type DialogOption struct {
	Choice    string `json:"choice"` // what names it in an answer: its number, or the letters that it is
	Label     string `json:"label"`
	Detail    string `json:"detail,omitempty"`
	Marked    bool   `json:"marked,omitempty"`     // Enter would choose it
	TakesText bool   `json:"takes_text,omitempty"` // it is answered with a text
	Several   bool   `json:"several,omitempty"`    // to choose it ticks it, beside others, or takes the tick away
	Ticked    bool   `json:"ticked,omitempty"`     // it has a tick
}

// Find returns the option with this number or label, in any case. A label may be shortened as long
// as one option begins so.
func (d *Dialog) Find(choice string) (DialogOption, bool) {
	choice = strings.ToLower(plain.CleanLine(choice))
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
			word += " (" + plain.Truncate(o.Label, 40) + ")"
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

	Keys []string `json:"keys,omitempty" doc:"Keys to press where the options are not known, such as Down, Enter. dialog_id is then the screen_id." max:"8"`

	Forget bool `json:"forget,omitempty" doc:"Take back that the program which reads its terminal takes messages, and send nothing."`
}

// Answers reports whether the request answers the dialog.
func (r *AnswerDialogRequest) Answers() bool {
	return r.Choice != "" || r.Text != "" || len(r.Keys) > 0
}

// DialogKeys are the names of the keys that an answer may have; so may single letters and digits.
var DialogKeys = []string{
	"Enter", "Escape", "Space", "Tab", "BTab", "BSpace", "Up", "Down", "Left", "Right", "Home", "End", "PageUp",
	"PageDown",
}

// dialogKey matches a key that is a letter or a digit.
var dialogKey = regexp.MustCompile(`^[0-9a-zA-Z]$`)

func (r *AnswerDialogRequest) keys() error {
	if len(r.Keys) > 0 && (r.Choice != "" || r.Text != "") {
		return Errorf(InvalidArgument, "an answer has keys, or a choice with its text").With("parameter", "keys").
			Suggest("Give the keys alone where the options are not known, and the choice where they are.")
	}
	for i, key := range r.Keys {
		at := slices.IndexFunc(DialogKeys, func(name string) bool { return strings.EqualFold(name, key) })
		switch {
		case at >= 0:
			r.Keys[i] = DialogKeys[at]
		case !dialogKey.MatchString(key):
			return Errorf(InvalidArgument, "%q is not a key that can be sent", plain.Truncate(plain.CleanLine(key),
				20)).
				With("parameter", "keys").
				Suggest("Use a letter, a digit, or one of: %s.", strings.Join(DialogKeys, ", "))
		}
	}
	return nil
}

// OnlyReads reports whether the request only shows the dialog.
func (r *AnswerDialogRequest) OnlyReads() bool { return !r.Answers() }

// Validate checks that an answer says which dialog it is for, and cleans its text.
func (r *AnswerDialogRequest) Validate() error {
	r.Text = strings.TrimSpace(plain.Clean(r.Text))
	if err := r.keys(); err != nil {
		return err
	}
	if strings.Contains(r.Text, "\n") {
		return Errorf(InvalidArgument, "the text has several lines").With("parameter", "text").
			Suggest("Give one line: an Enter would end the answer.")
	}
	if r.Forget && (r.Answers() || r.Dialog != "") {
		return Errorf(InvalidArgument, "an answer and forget do not go together").With("parameter", "forget").
			Suggest("Take back the word first, and answer what is open then.")
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
	Answered string   `json:"answered,omitempty"`  // what was chosen or typed; "" if the dialog was only shown
	Dialog   *Dialog  `json:"dialog"`              // that is open now; null if none is
	Screen   []string `json:"screen"`              // the last lines of the screen now
	ScreenID string   `json:"screen_id,omitempty"` // of the screen now, for an answer of keys; "": it takes none
	Message  string   `json:"message"`
}

// Said says what was done.
func (r *AnswerDialogResult) Said() string { return r.Message }
