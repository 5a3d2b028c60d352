package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// View draws the model.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.frame.windowTitle()}
	v.KeyboardEnhancements.ReportAlternateKeys = true // the place of a key, for layouts of other scripts
	if m.mouse {
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
	case room.InCompose, room.InTo:
		c := m.compose.Cursor()
		if c != nil {
			c.Y += 2 + m.layout.ScreenH // the line of the box's title
		}
		return c
	case room.InFilter:
		line = m.traffic.Filter.Line(w)
	case room.InList:
		line = finding{m}.listFilter().Line(w)
	case room.InPrompt:
		line = m.Prompt.Line(m.Theme, w)
	default:
		return nil
	}

	c := tea.NewCursor(kit.Width(line), m.layout.Height-2)
	c.Blink = !m.health.Still

	return c
}

// body draws what is between the bar and the status.
func (m *model) body() []string {
	l := &m.layout
	switch {
	case m.Help.Open:
		return kit.Clip(m.Help.View(m.Theme, m.Bound, l.Inner), l.BodyH)
	case m.palette.open:
		return kit.Clip(m.palette.view(l.Inner, l.BodyH), l.BodyH)
	case m.form.open:
		return kit.Clip(m.form.view(l.Inner, l.BodyH), l.BodyH)
	case m.workspaces.open:
		return kit.Clip(m.workspaces.view(l.Inner, l.BodyH), l.BodyH)
	}

	draw := m.Shown().View
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
	if m.tiles.Opened() && !m.palette.open && !m.Help.Open {
		return m.tiles.Bar(w)
	}
	line, _ := m.frame.tabs(w)
	return line
}
