package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// View draws the model.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.windowTitle()}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}

	l := &m.layout
	switch {
	case l.width <= 0 || l.height <= 0:
		return v
	case l.small():
		v.SetContent(m.encode(m.tooSmall()))
		return v
	}

	lines := append([]string{m.header(l.inner), m.bar(l.inner)}, m.body()...)
	lines = append(lines, clip(m.statusLines(l.inner), l.statusH)...)
	lines = append(lines, m.keyLine(l.inner))
	v.SetContent(m.encode(lines))
	v.Cursor = m.cursor()

	return v
}

// encode joins lines, in ASCII for a terminal that knows nothing else.
func (m *model) encode(lines []string) string {
	content := strings.Join(lines, "\n")
	if m.ascii {
		return toASCII(content)
	}
	return content
}

// windowTitle counts what waits for the operator.
func (m *model) windowTitle() string {
	title := "parley " + m.workspace
	if n, _ := m.needs.waiting(); n > 0 {
		title = fmt.Sprintf("(%d) %s", n, title)
	}
	return title
}

// cursor returns where the terminal's own cursor is, nil where nothing is
// written.
func (m *model) cursor() *tea.Cursor {
	w := m.layout.inner
	line := ""
	switch m.scope() {
	case inPalette:
		return tea.NewCursor(width(m.palette.written(w)), 3)
	case inLaunch:
		c := m.form.cursor(w)
		c.Y += rowsTop
		return c
	case inCompose, inTo:
		c := m.compose.cursor()
		if c != nil {
			c.Y += 2 + m.layout.screenH // the line of the box's title
		}
		return c
	case inFilter:
		line = m.traffic.filter.line(w)
	case inPrompt:
		line = m.prompt.line(m.theme, w)
	default:
		return nil
	}

	c := tea.NewCursor(width(line), m.layout.height-2)
	c.Blink = !m.health.still

	return c
}

// tooSmall asks for more room, in whatever room there is.
func (m *model) tooSmall() []string {
	key := "q"
	if m.scope() == inCompose {
		key = "ctrl+c"
	}

	l := &m.layout
	text := fmt.Sprintf("parley needs %d×%d; this window is %d×%d. "+
		"Make it larger: nothing is lost. %s quits.", minWidth, minHeight, l.width, l.height, key)
	if m.status.leaving {
		text = m.status.text
	}

	lines := wrap(text, max(l.width-spare, 2))
	for i := range lines {
		lines[i] = fit(lines[i], l.width)
	}

	return lines[:min(len(lines), l.height)]
}

// body draws what is between the bar and the status.
func (m *model) body() []string {
	l := &m.layout
	switch {
	case m.help.open:
		return clip(m.help.view(m.theme, m.keys, l.inner), l.bodyH)
	case m.palette.open:
		return clip(m.palette.view(l.inner, l.bodyH), l.bodyH)
	case m.form.open:
		return clip(m.form.view(l.inner, l.bodyH), l.bodyH)
	case m.workspaces.open:
		return clip(m.workspaces.view(l.inner, l.bodyH), l.bodyH)
	}

	draw := m.shown().view
	if m.tiles.opened() {
		draw = m.tiles.view
	}

	lines := clip(draw(l.inner, l.screenH), l.screenH)
	if m.compose.open {
		lines = append(lines, m.compose.view(l.inner, l.bottomH)...)
	}

	return clip(lines, l.bodyH)
}

// header names the workspace and says how things stand.
func (m *model) header(w int) string {
	words := []string{m.theme.accent.Render("parley"), m.theme.strong.Render(fit(m.workspace, 24))}
	if m.link.lost != nil {
		return columns(append(words, m.theme.alarm.Render(" ✗ daemon gone, reconnecting… ")), "  ", w)
	}

	if m.link.team {
		words = append(words, m.waiting()...)
		words = append(words, m.team.summary(m.theme)...)
		if len(m.team.list) == 0 {
			words = append(words, m.theme.dim.Render("no agents"))
		}
	}

	return columns(words, "  ", w)
}

// waiting says whether messages are paused, what needs the operator, what came
// for them, what is stuck, and what is on its way. It leaves out zeros.
func (m *model) waiting() []string {
	var words []string
	s, th := m.link.status, m.theme
	add := func(style interface{ Render(...string) string }, n int, text string) {
		if n > 0 {
			words = append(words, style.Render(fmt.Sprintf(text, n)))
		}
	}

	if p := s.Paused; p != nil {
		words = append(words, th.alarm.Render(" ‖ paused by "+safeLine(p.By)+" "))
	}

	pending := s.Deliveries[string(parley.DeliveryQueued)] + s.Deliveries[string(parley.DeliveryTyping)]
	needs, letters := m.needs.tally()
	add(th.alarm, needs, " ! %d "+needWord(needs)+" ")
	add(th.warn, letters, "%d for you")
	add(th.bad, s.Deliveries[string(parley.DeliveryUnconfirmed)], "? %d unconfirmed")
	add(th.warn, s.Deliveries[string(parley.DeliveryHeld)], "‖ %d held")
	add(th.plain, pending, "○ %d pending")

	return words
}

// bar names the screens with their keys. The shown one is marked in shape too.
func (m *model) bar(w int) string {
	if m.tiles.opened() && !m.palette.open && !m.help.open {
		return m.tiles.bar(w)
	}
	line, _ := m.tabs(w)
	return line
}

// tabs returns the bar, and the column before which each of its names ends.
func (m *model) tabs(w int) (line string, ends []int) {
	var tabs []string
	gap, used := "  ", 0
	for i, s := range m.screens {
		text := fmt.Sprintf(" %d %s", i+1, s.title())
		b := s.badge()
		if b.count > 0 {
			text += fmt.Sprintf(" %d", min(b.count, 999))
		}

		used += width(text) + len(gap)
		switch {
		case place(i) == m.at:
			text = m.theme.focus.Render("▸" + text[1:])
		case b.grave && b.count > 0:
			text = m.theme.bad.Render(text)
		default:
			text = m.theme.dim.Render(text)
		}

		tabs = append(tabs, text)
	}

	if used > w {
		gap = ""
	}

	end := 0
	for _, tab := range tabs {
		end += width(tab) + len(gap)
		ends = append(ends, end)
	}

	return fit(strings.Join(tabs, gap), w), ends
}

// keyLine shows the keys that matter here. The last two, help and the way out,
// always fit.
func (m *model) keyLine(w int) string {
	words := m.keys.hints(m.scope())
	if m.scope() == inShell {
		words = m.keys.hints(screenScope(m.at), inShell)
	}

	for i, word := range words {
		key, does, _ := strings.Cut(word, " ")
		words[i] = m.theme.strong.Render(key) + " " + m.theme.dim.Render(does)
	}

	split := max(0, len(words)-2)
	last := strings.Join(words[split:], "  ")
	first := columns(words[:split], "  ", w-width(last)-2)
	if first == "" {
		return fit(last, w)
	}

	return first + "  " + last
}
