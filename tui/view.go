package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/compose"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// View draws the model.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.frame.windowTitle()}
	v.KeyboardEnhancements.ReportAlternateKeys = true // the place of a key, for layouts of other scripts
	if m.pointer.on {
		v.MouseMode = tea.MouseModeCellMotion
	}

	l := &m.layout
	switch {
	case l.Width <= 0 || l.Height <= 0:
		return v
	case l.Small():
		v.SetContent(m.frame.encode(m.frame.tooSmall(l)))
		return v
	}

	lines := append([]string{m.frame.header(l.Inner), m.bar(l.Inner)}, m.body()...)
	lines = append(lines, kit.Clip(m.statusLines(l.Inner), l.StatusH)...)
	lines = append(lines, m.frame.keyLine(l.Inner))
	v.SetContent(m.frame.encode(lines))
	v.Cursor = m.cursor()

	return v
}

// cursor returns where the terminal's own cursor is, nil where nothing is
// written.
func (m *model) cursor() *tea.Cursor {
	w := m.layout.Inner
	line := ""
	switch m.scope() {
	case room.InPalette:
		return tea.NewCursor(kit.Width(m.palette.written(w)), 3)
	case room.InLaunch:
		c := m.form.cursor(w)
		c.Y += kit.RowsTop
		return c
	case room.InPast:
		return tea.NewCursor(kit.Width(m.finding.past.written(w)), kit.RowsTop+1)
	case room.InCompose, room.InTo:
		c := m.compose.Cursor()
		if c != nil {
			c.Y += 2 + m.layout.ScreenH // the line of the box's title
		}
		return c
	case room.InFilter:
		line = m.traffic.Filter.Line(w)
	case room.InList:
		line = m.finding.listFilter().Line(w)
	case room.InPrompt:
		line = m.room.Keys.Prompt.Line(m.room.Theme, w)
	default:
		return nil
	}

	c := tea.NewCursor(kit.Width(line), m.layout.Height-2)
	c.Blink = !m.health.Plots.Still

	return c
}

// body draws what is between the bar and the status.
func (m *model) body() []string {
	l := &m.layout
	switch {
	case m.room.Keys.Help.Open:
		return kit.Clip(m.room.Keys.Help.View(m.room.Theme, m.room.Keys.Bound, l.Inner), l.BodyH)
	case m.palette.open:
		return kit.Clip(m.palette.view(l.Inner, l.BodyH), l.BodyH)
	case m.form.open:
		return kit.Clip(m.form.view(l.Inner, l.BodyH), l.BodyH)
	case m.workspaces.open:
		return kit.Clip(m.workspaces.view(l.Inner, l.BodyH), l.BodyH)
	case m.finding.past.open:
		return kit.Clip(m.finding.past.view(l.Inner, l.BodyH), l.BodyH)
	case m.finding.planned.open:
		return m.finding.planned.view(l.Inner, l.BodyH)
	}

	draw := m.room.Shown().View
	if m.tiles.Opened() {
		draw = m.tiles.View
	}
	if m.review.Opened() {
		draw = m.review.View
	}

	lines := kit.Clip(draw(l.Inner, l.ScreenH), l.ScreenH)
	if m.compose.Open {
		lines = append(lines, m.compose.View(l.Inner, l.BottomH)...)
	}

	return kit.Clip(lines, l.BodyH)
}

// bar names the screens with their keys. The shown one is marked in shape too.
func (m *model) bar(w int) string {
	if m.tiles.Opened() && !m.palette.open && !m.room.Keys.Help.Open {
		return m.tiles.Bar(w)
	}
	line, _ := m.frame.tabs(w)
	return line
}

func (m *model) resize(w, h int) {
	m.layout.Width, m.layout.Height = w, h
	m.room.Tier = m.room.Tier.At(w)
}

// settle sets all sizes, and scrolls accordingly. It runs after each message, so
// that View only draws.
func (m *model) settle() {
	l := &m.layout
	if l.Small() {
		return
	}

	l.Inner = l.Width - kit.Spare
	l.StatusH = len(m.statusLines(l.Inner))
	l.BodyH = l.Height - 3 - l.StatusH
	l.BottomH = m.compose.Lines(l.Inner, l.BodyH)
	l.ScreenH = l.BodyH
	if l.BottomH > 0 {
		l.ScreenH -= l.BottomH + 1
	}

	m.room.Shown().Settle(l.Inner, l.ScreenH)
	m.tiles.Settle(l.Inner, l.ScreenH)
	if m.review.Opened() {
		m.review.Settle(l.Inner, l.ScreenH)
	}
	m.compose.Resize(l.Inner, compose.Height(l.BodyH))
	m.palette.settle(l.Inner, l.BodyH)
	m.room.Keys.Help.Settle(m.room.Theme, m.room.Keys.Bound, l.Inner, l.BodyH)
	m.workspaces.settle(l.BodyH)
	m.finding.past.settle(l.BodyH)
	m.finding.planned.settle(l.BodyH)
}

// statusLines draws the status, two lines at most. An idle one says what can be
// done about the subject under the marker.
func (m *model) statusLines(w int) []string {
	about := offers{m.room, m.acts, m.traffic}
	switch s := m.room.Status; {
	case m.room.Keys.Confirm != nil:
		return m.room.Keys.Confirm.Lines(m.room.Theme, w)
	case m.room.Keys.Prompt != nil:
		return []string{m.room.Keys.Prompt.Line(m.room.Theme, w)}
	case m.scope() == room.InFilter:
		return []string{m.traffic.Filter.LineWithHint(w)}
	case m.scope() == room.InList:
		return []string{m.finding.listFilter().LineWithCount(m.room.Theme, w)}
	case s.Err != nil:
		return s.ErrorLines(m.room.Theme, w)
	case s.Receipt != nil:
		return []string{kit.Fit(about.receipt(), w)}
	case s.Text != "":
		return []string{kit.Fit(kit.SafeLine(s.Text), w)}
	}

	return []string{m.room.Theme.Dim.Render(about.offer(w))}
}

// offers say what came of the last message sent, and what can be done next.
type offers struct {
	room    *room.Shared
	acts    *room.Actions
	traffic *traffic.Screen
}

// receipt says how far the last message sent provably came by now.
func (o offers) receipt() string {
	r := o.room.Status.Receipt
	if newer := o.traffic.Records.Live.ByID[r.ID]; newer != nil {
		r = newer
	}
	state, _, _ := r.Standing()
	return "Sent " + kit.LowerFirst(o.room.Status.Text) + ": " + kit.DeliveryGlyph(state) + " " + r.Words()
}

// offer says what can be done about the subject under the marker, as much as fits into w columns.
func (o offers) offer(w int) string {
	if o.room.Keys.Scope() != kit.InShell {
		return ""
	}

	var words []string
	if r := o.traffic.Records.Shown.Sel; o.room.At == room.AtTraffic && r != nil {
		state, _, _ := r.Standing()
		words = append(words, kit.DeliveryGlyph(state)+" "+r.Words())
	}

	s := o.room.About()
	if a := s.Agent; a != nil && o.room.At == room.AtAgents && o.room.Team.Asks(a) {
		words = append(words, "enter answers its question")
	}
	if a := s.Agent; a != nil && a.Kind == parley.KindTerminal {
		words = append(words, o.room.Key("a")+" attaches to "+a.Name+o.room.Keys.ReturnHint(a, ", ", " returns"))
	}

	to, ok := s.Answered()
	switch {
	case s.Message != "" && ok && to.PartnerID != "":
		words = append(words, o.room.Key("r")+" replies to "+to.Partner)
	case s.Message != "" && ok && to.ThreadID != "" && o.room.At == room.AtTraffic:
		words = append(words, o.room.Key("r")+" replies in the thread")
	case s.Message != "" && o.room.At == room.AtTraffic:
		words = append(words, "enter opens the message")
	case s.PartnerID != "":
		words = append(words, o.room.Key("c")+" writes to "+s.Partner)
	}

	return kit.Columns(words, " · ", w)
}
