package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// Signal is what a program says of itself.
type Signal struct {
	State parley.AgentState // idle, busy, waiting, blocked or exited; "": only that it lives
	Why   string            // what blocks it
	// Prompted is that it took a prompt: it works upon that now or, when it was at work
	// already, has it in its queue.
	Prompted bool
}

// signals are the words for what a program says, as they stand in profiles and in
// report_state. Behind blocked may stand by what.
var signals = map[string]parley.AgentState{
	"":         "",
	"idle":     parley.StateIdle,
	"busy":     parley.StateBusy,
	"prompted": parley.StateBusy,
	"waiting":  parley.StateWaiting,
	"blocked":  parley.StateBlocked,
	"ended":    parley.StateExited,
}

// ParseSignal reads such words: "idle", "busy", "prompted", "waiting", "blocked:
// compaction", "ended", or "" for what proves only life.
func ParseSignal(words string) (Signal, bool) {
	word, why, _ := strings.Cut(words, ":")
	state, ok := signals[word]
	why = strings.TrimSpace(why)
	return Signal{
			State:    state,
			Why:      why,
			Prompted: word == "prompted",
		}, ok &&
			(why == "" || state == parley.StateBlocked)
}

// Report returns what an event means that the program reports, in its own word. An
// event may have a qualifier, as in "SessionEnd:clear"; what the profile says of that
// comes before what it says of the event. It is not ok when the profile says nothing.
func (p *Profile) Report(event string) (s Signal, ok bool) {
	words, ok := p.Reports[event]
	if at := strings.LastIndexByte(event, ':'); !ok && at > 0 {
		words, ok = p.Reports[event[:at]]
	}
	if ok {
		s, ok = ParseSignal(words)
	}
	return s, ok
}

// Prompts reports whether the program says when it is given a prompt.
func (p *Profile) Prompts() bool {
	for _, words := range p.Reports {
		if s, _ := ParseSignal(words); s.Prompted {
			return true
		}
	}
	return false
}

// title is what a terminal's title says when it matches.
type title struct {
	re     *regexp.Regexp
	signal Signal
}

// Title returns what the title of the program's terminal says; not ok when nothing
// that is known. As on the screen, waiting counts before busy, busy before blocked,
// and idle last.
func (p *Profile) Title(text string) (Signal, bool) {
	for _, t := range p.titles {
		if t.re.MatchString(text) {
			return t.signal, true
		}
	}
	return Signal{}, false
}

// titleOrder is in which order titles are tried.
var titleOrder = []parley.AgentState{
	parley.StateWaiting,
	parley.StateBusy,
	parley.StateBlocked,
	parley.StateIdle,
	parley.StateExited,
}

// compileReports checks what the profile says of events and titles.
func (p *Profile) compileReports() error {
	for _, event := range slices.Sorted(maps.Keys(p.Reports)) {
		if _, ok := ParseSignal(p.Reports[event]); !ok {
			return p.noSignal("reports."+event, p.Reports[event])
		}
	}

	for _, words := range slices.Sorted(maps.Keys(p.Titles)) {
		s, ok := ParseSignal(words)
		if !ok || s.State == "" {
			return p.noSignal("titles", words)
		}
		if p.Titles[words] == "" {
			continue // taken back by what extends it
		}

		re, err := p.pattern("titles."+words, p.Titles[words])
		if err != nil {
			return err
		}

		p.titles = append(p.titles, title{re, s})
	}

	slices.SortStableFunc(p.titles, func(a, b title) int {
		return slices.Index(titleOrder, a.signal.State) - slices.Index(titleOrder, b.signal.State)
	})

	return nil
}

func (p *Profile) noSignal(key, words string) error {
	return p.bad(key, words).
		Suggest("Use idle, busy, prompted, waiting, blocked or ended; behind blocked a colon and by what.")
}
