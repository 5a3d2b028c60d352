package tui

import (
	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// statusLines draws the status, two lines at most. An idle one says what can be
// done about the subject under the marker.
func (m *model) statusLines(w int) []string {
	about := offers{m.Actions, m.traffic}
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
		return []string{kit.Fit(about.receipt(), w)}
	case s.Text != "":
		return []string{kit.Fit(kit.SafeLine(s.Text), w)}
	}

	return []string{m.Theme.Dim.Render(about.offer(w))}
}

// offers say what came of the last message sent, and what can be done next.
type offers struct {
	room.Actions
	traffic *traffic.Screen
}

// receipt says how far the last message sent provably came by now.
func (o offers) receipt() string {
	r := o.Status.Receipt
	if newer := o.traffic.Live.ByID[r.ID]; newer != nil {
		r = newer
	}
	state, _, _ := r.Standing()
	return "Sent " + kit.LowerFirst(o.Status.Text) + ": " + kit.DeliveryGlyph(state) + " " + r.Words()
}

// offer says what can be done about the subject under the marker, as much as fits into w columns.
func (o offers) offer(w int) string {
	if o.Scope() != kit.InShell {
		return ""
	}

	var words []string
	if r := o.traffic.Sel; o.At == room.AtTraffic && r != nil {
		state, _, _ := r.Standing()
		words = append(words, kit.DeliveryGlyph(state)+" "+r.Words())
	}

	s := o.About()
	if a := s.Agent; a != nil && a.Kind == parley.KindTerminal {
		words = append(words, o.Key("a")+" attaches to "+a.Name+o.ReturnHint(a, ", ", " returns"))
	}

	to, ok := s.Answered()
	switch {
	case s.Message != "" && ok && to.PartnerID != "":
		words = append(words, o.Key("r")+" replies to "+to.Partner)
	case s.Message != "" && ok && to.ThreadID != "" && o.At == room.AtTraffic:
		words = append(words, o.Key("r")+" replies in the thread")
	case s.Message != "" && o.At == room.AtTraffic:
		words = append(words, "enter opens the message")
	case s.PartnerID != "":
		words = append(words, o.Key("c")+" writes to "+s.Partner)
	}

	return kit.Columns(words, " · ", w)
}
