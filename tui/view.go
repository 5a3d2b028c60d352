package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// View draws the model.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.windowTitle()}
	v.KeyboardEnhancements.ReportAlternateKeys = true // the place of a key, for layouts of other scripts
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}

	l := &m.layout
	switch {
	case l.Width <= 0 || l.Height <= 0:
		return v
	case l.Small():
		v.SetContent(m.encode(m.tooSmall()))
		return v
	}

	lines := append([]string{m.header(l.Inner), m.bar(l.Inner)}, m.body()...)
	lines = append(lines, kit.Clip(m.statusLines(l.Inner), l.StatusH)...)
	lines = append(lines, m.keyLine(l.Inner))
	v.SetContent(m.encode(lines))
	v.Cursor = m.cursor()

	return v
}

// encode joins lines, in ASCII for a terminal that knows nothing else.
func (m *model) encode(lines []string) string {
	content := strings.Join(lines, "\n")
	if m.ascii {
		return kit.ToASCII(content)
	}
	return content
}

// windowTitle counts what waits for the operator.
func (m *model) windowTitle() string {
	title := "parley " + m.workspace
	if n, _ := m.needs.Waiting(); n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return title
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

// tooSmall asks for more room, in whatever room there is.
func (m *model) tooSmall() []string {
	key := "q"
	if m.scope() == room.InCompose {
		key = "ctrl+c"
	}

	l := &m.layout
	text := fmt.Sprintf("parley needs %d×%d; this window is %d×%d. "+
		"Make it larger: nothing is lost. %s quits.", kit.MinWidth, kit.MinHeight, l.Width, l.Height, key)
	if m.Status.Leaving {
		text = m.Status.Text
	}

	lines := kit.Wrap(text, max(l.Width-kit.Spare, 2))
	for i := range lines {
		lines[i] = kit.Fit(lines[i], l.Width)
	}

	return lines[:min(len(lines), l.Height)]
}

// body draws what is between the bar and the status.
func (m *model) body() []string {
	l := &m.layout
	switch {
	case m.Help.Open:
		return kit.Clip(m.Help.View(m.Theme, m.keys, l.Inner), l.BodyH)
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

// header names the workspace and says how things stand.
func (m *model) header(w int) string {
	words := []string{m.Theme.Accent.Render("parley"), m.Theme.Strong.Render(kit.Fit(m.workspace, 24))}
	if m.Link.Lost != nil {
		return kit.Columns(append(words, m.Theme.Alarm.Render(" ✗ daemon gone, reconnecting… ")), "  ", w)
	}

	if m.Link.Team {
		words = append(words, m.waiting()...)
		words = append(words, m.Team.Summary(m.Theme)...)
		if len(m.Team.List) == 0 {
			words = append(words, m.Theme.Dim.Render("no agents"))
		}
	}

	return kit.Columns(words, "  ", w)
}

// waiting says whether messages are paused, what needs the operator, what came
// for them, what is stuck, and what is on its way. It leaves out zeros.
func (m *model) waiting() []string {
	var words []string
	s, th := m.Link.Status, m.Theme
	add := func(style interface{ Render(...string) string }, n int, text string) {
		if n > 0 {
			words = append(words, style.Render(fmt.Sprintf(text, n)))
		}
	}

	if p := s.Paused; p != nil {
		words = append(words, th.Alarm.Render(" ‖ paused by "+kit.SafeLine(p.By)+" "))
	}

	pending := s.Deliveries[string(parley.DeliveryQueued)] + s.Deliveries[string(parley.DeliveryTyping)]
	needs, letters := m.needs.Tally()
	add(th.Alarm, needs, " ! %d "+team.NeedWord(needs)+" ")
	add(th.Warn, letters, "%d for you")
	add(th.Bad, s.Deliveries[string(parley.DeliveryUnconfirmed)], "? %d unconfirmed")
	add(th.Plain, s.Deliveries[string(parley.DeliveryHeld)], "‖ %d held")
	add(th.Plain, pending, "○ %d pending")

	return words
}

// bar names the screens with their keys. The shown one is marked in shape too.
func (m *model) bar(w int) string {
	if m.tiles.Opened() && !m.palette.open && !m.Help.Open {
		return m.tiles.Bar(w)
	}
	line, _ := m.tabs(w)
	return line
}

// keyLine shows the keys that matter here. The last two, help and the way out,
// always fit.
func (m *model) keyLine(w int) string {
	words := m.keys.Hints(m.scope())
	if m.scope() == kit.InShell {
		words = m.keys.Hints(room.ScreenScope(m.At), kit.InShell)
	}

	for i, word := range words {
		key, does, _ := strings.Cut(word, " ")
		words[i] = m.Theme.Strong.Render(key) + " " + m.Theme.Dim.Render(does)
	}

	split := max(0, len(words)-2)
	last := strings.Join(words[split:], "  ")
	first := kit.Columns(words[:split], "  ", w-kit.Width(last)-2)
	if first == "" {
		return kit.Fit(last, w)
	}

	return first + "  " + last
}
