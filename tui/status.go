package tui

import (
	"strings"
	"time"

	"parley"
)

// toastTime is how long a notice stays that needs no action: long enough to be
// read twice.
const toastTime = 8 * time.Second

// status is the line that answers what the operator did.
type status struct {
	text    string
	err     error // text is then what was done before it
	receipt *row  // of the last message sent; text is then its recipient
	until   time.Time
	leaving bool // it warned of drafts that would be lost
	warned  bool // it did so just before this key
}

// clear makes way for the next answer.
func (s *status) clear() {
	*s = status{warned: s.leaving}
}

// age drops a notice that has stood long enough, and reports whether it did. Errors and warnings stay until
// a key is pressed.
func (s *status) age(now time.Time) bool {
	if s.until.IsZero() || !now.After(s.until) || s.leaving {
		return false
	}
	*s = status{}
	return true
}

// errorLines draws an error with what to do about it, in two lines at most.
func (s *status) errorLines(th theme, w int) []string {
	e := parley.AsError(s.err)
	words := "✗ " + safeLine(e.Message)
	if s.text != "" {
		words += " · " + safeLine(s.text)
	}
	if e.Action != "" {
		words += " → " + safeLine(e.Action)
	}

	lines := wrap(words, w)
	for i := range lines {
		lines[i] = th.bad.Render(lines[i])
	}

	return lines[:min(len(lines), 2)]
}

// statusLines draws the status, two lines at most. An idle one says what can be
// done about the subject under the marker.
func (m *model) statusLines(w int) []string {
	switch s := m.status; {
	case m.confirm != nil:
		return m.confirm.lines(m.theme, w)
	case m.prompt != nil:
		return []string{m.prompt.line(m.theme, w)}
	case m.scope() == inFilter:
		return []string{m.traffic.filter.lineWithHint(w)}
	case s.err != nil:
		return s.errorLines(m.theme, w)
	case s.receipt != nil:
		return []string{fit(m.receiptWords(), w)}
	case s.text != "":
		return []string{fit(safeLine(s.text), w)}
	}

	return []string{m.theme.dim.Render(fit(m.offer(), w))}
}

// receiptWords says how far the last message sent provably came by now.
func (m *model) receiptWords() string {
	r := m.status.receipt
	if newer := m.traffic.live.byID[r.id]; newer != nil {
		r = newer
	}
	state, _, _ := r.standing()
	return "Sent " + lowerFirst(m.status.text) + ": " + deliveryGlyph(state) + " " + r.words()
}

// offer says what can be done about the subject under the marker.
func (m *model) offer() string {
	if m.scope() != inShell {
		return ""
	}

	var words []string
	if r := m.traffic.sel; m.at == atTraffic && r != nil {
		state, _, _ := r.standing()
		words = append(words, deliveryGlyph(state)+" "+r.words())
	}

	s := m.about()
	if a := s.agent; a != nil && a.Kind == parley.KindTerminal {
		words = append(words, m.key("a")+" attaches to "+a.Name+m.returnHint(a, ", ", " returns"))
	}

	to, ok := s.answered()
	switch {
	case s.message != "" && ok && to.partnerID != "":
		words = append(words, m.key("r")+" replies to "+to.partner)
	case s.message != "" && ok && to.threadID != "" && m.at == atTraffic:
		words = append(words, m.key("r")+" replies in the thread")
	case s.message != "" && m.at == atTraffic:
		words = append(words, "enter opens the message")
	case s.partnerID != "":
		words = append(words, m.key("c")+" writes to "+s.partner)
	}

	return strings.Join(words, " · ")
}

func lowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}
