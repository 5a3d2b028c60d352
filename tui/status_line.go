package tui

import (
	"strings"

	"parley"
)

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
