package tui

import (
	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// statusLines draws the status, two lines at most. An idle one says what can be
// done about the subject under the marker.
func (m *model) statusLines(w int) []string {
	switch s := m.Status; {
	case m.Confirm != nil:
		return m.Confirm.Lines(m.Theme, w)
	case m.Prompt != nil:
		return []string{m.Prompt.Line(m.Theme, w)}
	case m.scope() == room.InFilter:
		return []string{m.traffic.Filter.LineWithHint(w)}
	case m.scope() == room.InList:
		return []string{finding{m}.listFilter().LineWithCount(m.Theme, w)}
	case s.Err != nil:
		return s.ErrorLines(m.Theme, w)
	case s.Receipt != nil:
		return []string{kit.Fit(m.receiptWords(), w)}
	case s.Text != "":
		return []string{kit.Fit(kit.SafeLine(s.Text), w)}
	}

	return []string{m.Theme.Dim.Render(m.offer(w))}
}

// receiptWords says how far the last message sent provably came by now.
func (m *model) receiptWords() string {
	r := m.Status.Receipt
	if newer := m.traffic.Live.ByID[r.ID]; newer != nil {
		r = newer
	}
	state, _, _ := r.Standing()
	return "Sent " + kit.LowerFirst(m.Status.Text) + ": " + kit.DeliveryGlyph(state) + " " + r.Words()
}

// offer says what can be done about the subject under the marker, as much as fits into w columns.
func (m *model) offer(w int) string {
	if m.scope() != kit.InShell {
		return ""
	}

	var words []string
	if r := m.traffic.Sel; m.At == room.AtTraffic && r != nil {
		state, _, _ := r.Standing()
		words = append(words, kit.DeliveryGlyph(state)+" "+r.Words())
	}

	s := m.About()
	if a := s.Agent; a != nil && a.Kind == parley.KindTerminal {
		words = append(words, m.Key("a")+" attaches to "+a.Name+m.ReturnHint(a, ", ", " returns"))
	}

	to, ok := s.Answered()
	switch {
	case s.Message != "" && ok && to.PartnerID != "":
		words = append(words, m.Key("r")+" replies to "+to.Partner)
	case s.Message != "" && ok && to.ThreadID != "" && m.At == room.AtTraffic:
		words = append(words, m.Key("r")+" replies in the thread")
	case s.Message != "" && m.At == room.AtTraffic:
		words = append(words, "enter opens the message")
	case s.PartnerID != "":
		words = append(words, m.Key("c")+" writes to "+s.Partner)
	}

	return kit.Columns(words, " · ", w)
}
