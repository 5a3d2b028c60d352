package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// View draws the model, and nothing else.
func (m *model) View() tea.View {
	v := tea.View{AltScreen: true, WindowTitle: "parley " + m.workspace}
	l := &m.layout
	if l.width <= 0 || l.height <= 0 {
		return v
	}
	if l.small() {
		v.SetContent(strings.Join(m.tooSmall(), "\n"))
		return v
	}
	lines := append([]string{m.header(l.inner)}, m.body()...)
	bottom := 1 + l.bodyH - l.bottomH - 1 // the line of the lower pane's title
	lines = append(lines, clip(m.statusLines(l.inner), l.statusH)...)
	lines = append(lines, m.keyLine(l.inner))
	v.SetContent(strings.Join(lines, "\n"))
	v.Cursor = m.cursor(bottom)
	return v
}

func (m *model) cursor(bottom int) *tea.Cursor {
	switch m.scope() {
	case inCompose:
		if c := m.compose.cursor(); c != nil {
			c.Y += bottom
			return c
		}
	case inFilter:
		return tea.NewCursor(width(m.statusLines(m.layout.inner)[0]), m.layout.height-2)
	}
	return nil
}

// tooSmall asks for room, in whatever room there is.
func (m *model) tooSmall() []string {
	l := &m.layout
	text := fmt.Sprintf("parley needs %d×%d to show its traffic; this window is %d×%d. Make it larger: nothing is lost meanwhile. q quits.",
		minWidth, minHeight, l.width, l.height)
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
	if m.needs.open {
		return clip(m.needs.view(m.theme, l.inner, m.now), l.bodyH)
	}
	lines := m.upper()
	switch {
	case m.compose.open:
		lines = append(lines, m.compose.view(m.theme, l.inner, l.bottomH)...)
	case m.detail.open:
		lines = append(lines, m.detail.view(m.theme, l.inner, m.focus == onDetail, m.now)...)
	}
	return clip(lines, l.bodyH)
}

// upper draws agents and traffic, beside or above each other.
func (m *model) upper() []string {
	l := &m.layout
	listening := !m.compose.open
	traffic := m.traffic.view(m.theme, l.trafficW, listening && m.focus == onTraffic, m.link.events, m.now)
	here := listening && m.focus == onAgents
	if !l.wide {
		return append(m.agents.strip(m.theme, l.inner, here, m.link.team), traffic...)
	}
	team := m.agents.view(m.theme, l.agentsW, here, m.link.team, m.now)
	bar := m.theme.dim.Render(" │ ")
	for i := range traffic {
		traffic[i] = pad(team[i], l.agentsW) + bar + traffic[i]
	}
	return traffic
}

// header says whose screen this is and how things stand.
func (m *model) header(w int) string {
	words := []string{m.theme.accent.Render("parley"), m.theme.strong.Render(fit(m.workspace, 24))}
	if m.link.lost != nil {
		return columns(append(words, m.theme.alarm.Render(" ✗ daemon gone, reconnecting… ")), "  ", w)
	}
	if m.link.team {
		words = append(words, m.waiting()...)
		words = append(words, m.agents.summary(m.theme)...)
		if len(m.agents.list) == 0 {
			words = append(words, m.theme.dim.Render("no agents"))
		}
	}
	return columns(words, "  ", w)
}

// waiting says that messages are paused, what wants the operator and what came for them, what is
// stuck and what is on its way: nothing when nothing is.
func (m *model) waiting() []string {
	n := m.link.counts
	var words []string
	if p := m.link.paused; p != nil {
		words = append(words, m.theme.alarm.Render(" ‖ paused by "+safeLine(p.By)+" "))
	}
	if k := m.link.needs; k > 0 {
		need := "needs you"
		if k > 1 {
			need = "need you"
		}
		words = append(words, m.theme.alarm.Render(fmt.Sprintf(" ! %d %s ", k, need)))
	}
	if k := m.agents.unread; k > 0 {
		words = append(words, m.theme.warn.Render(fmt.Sprintf("%d for you", k)))
	}
	if k := n[string(parley.DeliveryUnconfirmed)]; k > 0 {
		words = append(words, m.theme.bad.Render(fmt.Sprintf("? %d unconfirmed", k)))
	}
	if k := n[string(parley.DeliveryHeld)]; k > 0 {
		words = append(words, m.theme.warn.Render(fmt.Sprintf("‖ %d held", k)))
	}
	if k := n[string(parley.DeliveryQueued)] + n[string(parley.DeliveryTyping)]; k > 0 {
		words = append(words, m.theme.plain.Render(fmt.Sprintf("○ %d pending", k)))
	}
	return words
}

// keyLine shows the keys that matter here; help and the way out always fit.
func (m *model) keyLine(w int) string {
	words := hints(m.scope())
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
