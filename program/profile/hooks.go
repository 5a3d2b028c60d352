package profile

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/program/transcript"
)

// Hooks say what the program takes from hooks that it waits for: a text that one prints goes into the turn that runs.
// Args are what a launch adds to register them, where the handover does not. Each is a template over Values.
type Hooks struct {
	Args []string `yaml:"args"`
	Tool Hook     `yaml:"tool"` // after a tool: the model's next request has the text
	End  Hook     `yaml:"end"`  // at the end of a turn, which goes on with the text
	// File is next to the transcript that the program reports, and holds what its turns were given; "": the transcript.
	File string `yaml:"file"`
}

// Hook is one of them.
type Hook struct {
	Event string `yaml:"event"` // the program's name for it; "": it has none, or none that parley uses
	// Adds says that it prints a text as context, at the end of a turn too, where others ask for another round.
	Adds  bool `yaml:"adds"`
	Bare  bool `yaml:"bare"`  // it prints context without the frame that Claude Code puts around it
	Marks bool `yaml:"marks"` // it tells its model that the text is not from its user
	// Alters matches what the program changes on its way in: a text with it is typed.
	Alters string `yaml:"alters"`
	// Read are the lines of its transcript that hold what a turn was given; none: its report of the prompt names that.
	Read transcript.Which `yaml:"read,omitempty"`

	kind   string // "tool" or "end"
	alters *regexp.Regexp
}

// All returns both.
func (h *Hooks) All() []*Hook { return []*Hook{&h.Tool, &h.End} }

// Of returns the hook for an event of the program. It is not ok for an event that takes nothing.
func (h *Hooks) Of(event string) (hook *Hook, ok bool) {
	for _, hook := range h.All() {
		if event != "" && hook.Event == event {
			return hook, true
		}
	}
	return nil, false
}

// Kind names the hook of a compiled profile in what is recorded of it.
func (h *Hook) Kind() string { return h.kind }

// IsEnd reports whether the hook stands at the end of a turn, where what comes may be for the next one.
func (h *Hook) IsEnd() bool { return h.kind == "end" }

// IsReported reports whether the program reports what the hook gave it, as a prompt.
func (h *Hook) IsReported() bool { return len(h.Read.Where) == 0 }

// IsAltered reports whether the program changes a text that the hook prints.
func (h *Hook) IsAltered(text string) bool { return h.alters != nil && h.alters.MatchString(text) }

// Print returns what the hook prints to give the program a text: the form that Claude Code began, and that others took.
func (h *Hook) Print(text string) (string, error) {
	form := map[string]any{"additionalContext": text}
	switch {
	case h.IsEnd() && !h.Adds:
		form = map[string]any{"decision": "block", "reason": text}
	case !h.Bare:
		form["hookEventName"] = h.Event
		form = map[string]any{"hookSpecificOutput": form}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(form)
	return b.String(), err
}

// Render returns the arguments that a launch adds.
func (h *Hooks) Render(v Values) (args []string, err error) {
	f := filler{}
	v.Secret, v.Seal = "", ""
	for _, arg := range h.Args {
		args = append(args, f.fill(v, "door.hooks.args", arg))
	}
	return args, f.err
}

// hooks compiles what the hooks change and what their lines are.
func (c checker) hooks() (err error) {
	h := &c.p.Door.Hooks
	h.Tool.kind, h.End.kind = "tool", "end"
	for _, hook := range h.All() {
		hook.Read.Compile()
		if hook.Alters == "" {
			continue
		}
		if hook.alters, err = c.pattern("door.hooks."+hook.kind+".alters", hook.Alters); err != nil {
			return err
		}
	}
	if strings.ContainsRune(h.File, '/') {
		return c.invalid("door.hooks.file", h.File).Suggest("Give the name of a file next to the transcript.")
	}
	if _, err = h.Render(Values{Name: "name", ID: "id", Parley: "parley", Dir: "/dir"}); err != nil {
		return inTemplate(c.p.Name, err)
	}
	return nil
}
