package profile

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley"
	"parley/program/transcript"
)

// Signal is the state that a program reports.
type Signal struct {
	State parley.AgentState // idle, busy, waiting, blocked or exited; "": only that it lives
	Why   string            // the cause, if it is blocked
	// Prompted says that the program took a prompt. It works on the prompt now or, if it
	// was busy before, has queued it.
	Prompted bool
	Resumed  bool // its session is one that has turns
	// Passing says that what blocks it ends by itself, and shows on the screen until then.
	Passing bool
}

// signals maps the words of profiles and of report_state to states. The cause may
// follow "blocked".
var signals = map[string]parley.AgentState{
	"":         "",
	"idle":     parley.StateIdle,
	"busy":     parley.StateBusy,
	"prompted": parley.StateBusy,
	"waiting":  parley.StateWaiting,
	"blocked":  parley.StateBlocked,
	compacting: parley.StateBlocked,
	"ended":    parley.StateExited,
	resumed:    "",
}

// resumed is the word for a program that has taken up a session with turns.
const resumed = "resumed"

// compacting is the word for a program that is blocked until it has compacted its context.
const compacting = "compacting"

// ParseSignal parses the words of a signal: "idle", "busy", "prompted", "waiting",
// "blocked: a usage limit", "compacting", "ended", "resumed", or "" for a program that only lives.
func ParseSignal(words string) (Signal, bool) {
	word, why, _ := strings.Cut(words, ":")
	state, ok := signals[word]
	why = strings.TrimSpace(why)
	ok = ok && (why == "" || word == "blocked")
	if word == compacting {
		why = "compaction"
	}
	return Signal{
		State: state, Why: why, Prompted: word == "prompted", Resumed: word == resumed, Passing: word == compacting,
	}, ok
}

// Reports map a program's own events to the words of signals, see ParseSignal.
type Reports map[string]string

// Signal returns the meaning of one of the program's own events. An event may have a
// qualifier, as in "SessionEnd:clear"; the profile's entry for both comes before that
// for the event alone. It is not ok if the profile has neither.
func (r Reports) Signal(event string) (s Signal, ok bool) {
	words, ok := r[event]
	if at := strings.LastIndexByte(event, ':'); !ok && at > 0 {
		words, ok = r[event[:at]]
	}
	if ok {
		s, ok = ParseSignal(words)
	}
	return s, ok
}

// Prompts reports whether the program reports each prompt that it is given.
func (r Reports) Prompts() bool {
	for _, words := range r {
		if s, _ := ParseSignal(words); s.Prompted {
			return true
		}
	}
	return false
}

// Failures reports whether the program reports a turn that failed as such, and not as one that is over.
func (r Reports) Failures() bool {
	for _, words := range r {
		if s, _ := ParseSignal(words); s.State == parley.StateBlocked && !s.Passing {
			return true
		}
	}
	return false
}

// Title returns the signal of the program's terminal title. It is not ok if no pattern
// matches. As on the screen, waiting counts before busy, busy before blocked, and idle
// last.
func (p *Profile) Title(text string) (Signal, bool) {
	for _, t := range p.patterns.titles {
		if t.re.MatchString(text) {
			return t.signal, true
		}
	}
	return Signal{}, false
}

// titleOrder is the order in which titles are tried.
var titleOrder = []parley.AgentState{
	parley.StateWaiting,
	parley.StateBusy,
	parley.StateBlocked,
	parley.StateIdle,
	parley.StateExited,
}

// reports checks the events, and compiles the titles.
func (c checker) reports() error {
	p := c.p
	for _, event := range slices.Sorted(maps.Keys(p.Reports)) {
		if _, ok := ParseSignal(p.Reports[event]); !ok {
			return c.noSignal("reports."+event, p.Reports[event])
		}
	}

	for _, words := range slices.Sorted(maps.Keys(p.Titles)) {
		s, ok := ParseSignal(words)
		if !ok || s.State == "" {
			return c.noSignal("titles", words)
		}
		if p.Titles[words] == "" {
			continue // removed by a profile that extends another
		}

		re, err := c.pattern("titles."+words, p.Titles[words])
		if err != nil {
			return err
		}

		p.patterns.titles = append(p.patterns.titles, title{re, s})
	}

	slices.SortStableFunc(p.patterns.titles, func(a, b title) int {
		return slices.Index(titleOrder, a.signal.State) - slices.Index(titleOrder, b.signal.State)
	})

	return nil
}

func (c checker) noSignal(key, words string) error {
	return c.invalid(key, words).
		Suggest("Use idle, busy, prompted, waiting, blocked, compacting, ended or resumed. " +
			"A colon and the cause may follow blocked.")
}

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
