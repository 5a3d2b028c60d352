package profile

import (
	"maps"
	"slices"
	"strings"

	"parley"
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
