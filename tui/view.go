package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// View draws the model, and nothing else.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: m.windowTitle()}
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}

	l := &m.layout
	if l.width <= 0 || l.height <= 0 {
		return v
	}

	if l.small() {
		v.SetContent(m.plainly(strings.Join(m.tooSmall(), "\n")))
		return v
	}

	lines := append([]string{m.header(l.inner), m.bar(l.inner)}, m.body()...)
	lines = append(lines, clip(m.statusLines(l.inner), l.statusH)...)
	lines = append(lines, m.keyLine(l.inner))
	v.SetContent(m.plainly(strings.Join(lines, "\n")))
	v.Cursor = m.cursor()

	return v
}

// plainly writes a view for a terminal that knows nothing but ASCII, if it is one.
func (m *model) plainly(content string) string {
	if m.ascii {
		return toASCII(content)
	}
	return content
}

func (m *model) cursor() *tea.Cursor {
	switch m.scope() {
	case inPalette:
		return tea.NewCursor(width(m.palette.written(m.layout.inner)), 3)
	case inCompose, inTo:
		if c := m.compose.cursor(); c != nil {
			c.Y += 2 + m.layout.screenH // the line of the box's title
			return c
		}
	case inFilter, inPrompt:
		line := m.filterLine(m.layout.inner)
		if m.prompt != nil {
			line = m.prompt.line(m.theme, m.layout.inner)
		}
		c := tea.NewCursor(width(line), m.layout.height-2)
		c.Blink = !m.health.still
		return c
	}

	return nil
}

// tooSmall asks for room, in whatever room there is.
func (m *model) tooSmall() []string {
	l := &m.layout
	key := "q"
	if m.scope() == inCompose {
		key = "ctrl+c"
	}

	text := fmt.Sprintf(
		"parley needs %d×%d to show its traffic; this window is %d×%d. Make it larger: nothing is lost meanwhile. %s quits.",
		minWidth,
		minHeight,
		l.width,
		l.height,
		key,
	)

	if m.status.leaving {
		text = m.status.text
	}

	lines := wrap(text, max(l.width-spare, 2))
	for i := range lines {
		lines[i] = fit(lines[i], l.width)
	}

	return lines[:min(len(lines), l.height)]
}

func (m *model) body() []string {
	l := &m.layout
	if m.help.open {
		return clip(m.help.view(m.theme, l.inner), l.bodyH)
	}
	if m.palette.open {
		return clip(m.palette.view(m.theme, l.inner, l.bodyH), l.bodyH)
	}
	lines := clip(m.screen().view(l.inner, l.screenH), l.screenH)
	if m.compose.open {
		lines = append(lines, m.compose.view(m.theme, l.inner, l.bottomH)...)
	}
	return clip(lines, l.bodyH)
}

// header says whose screen this is and how things stand.
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

// waiting says that messages are paused, what wants the operator and what came
// for them, what is stuck and what is on its way: nothing when nothing is.
func (m *model) waiting() []string {
	var words []string
	s := m.link.status
	if p := s.Paused; p != nil {
		words = append(words, m.theme.alarm.Render(" ‖ paused by "+safeLine(p.By)+" "))
	}
	if s.Needs > 0 {
		words = append(words, m.theme.alarm.Render(fmt.Sprintf(" ! %d %s ", s.Needs, needWord(s.Needs))))
	}
	if k := m.team.unread; k > 0 {
		words = append(words, m.theme.warn.Render(fmt.Sprintf("%d for you", k)))
	}
	if k := s.Deliveries[string(parley.DeliveryUnconfirmed)]; k > 0 {
		words = append(words, m.theme.bad.Render(fmt.Sprintf("? %d unconfirmed", k)))
	}
	if k := s.Deliveries[string(parley.DeliveryHeld)]; k > 0 {
		words = append(words, m.theme.warn.Render(fmt.Sprintf("‖ %d held", k)))
	}
	if k := s.Deliveries[string(parley.DeliveryQueued)] + s.Deliveries[string(parley.DeliveryTyping)]; k > 0 {
		words = append(words, m.theme.plain.Render(fmt.Sprintf("○ %d pending", k)))
	}

	return words
}

func needWord(n int) string {
	if n == 1 {
		return "needs you"
	}
	return "need you"
}

// bar names the screens with their keys; the shown one is marked in shape too.
func (m *model) bar(w int) string {
	line, _ := m.tabs(w)
	return line
}

// tabs is the line of names, and before which column each of them ends.
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

// keyLine shows the keys that matter here; help and the way out always fit.
func (m *model) keyLine(w int) string {
	words := m.hints(m.scope())
	if m.scope() == inShell {
		words = m.hints(screenScope(m.at), inShell)
	}

	for i, word := range words {
		key, does, _ := strings.Cut(word, " ")
		words[i] = m.theme.strong.Render(key) + " " + m.theme.dim.Render(does)
	}

	last := strings.Join(words[max(0, len(words)-2):], "  ")
	first := columns(words[:max(0, len(words)-2)], "  ", w-width(last)-2)
	if first == "" {
		return fit(last, w)
	}

	return first + "  " + last
}
