package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// filter is the line in which the operator says what to look for.
type filter struct {
	open bool
	text string
}

func (m *model) openFilter() tea.Cmd {
	m.filter.open = true
	m.focus = onTraffic
	return nil
}

// filterBy looks for text at once, as it is typed.
func (m *model) filterBy(text string) {
	text = visible(strings.ReplaceAll(text, "\n", " "))
	m.filter.text = text
	m.traffic.look(text)
}

func (m *model) keepFilter() tea.Cmd { m.filter.open = false; return nil }

func (m *model) dropFilter() tea.Cmd {
	m.filter.open = false
	m.filterBy("")
	return nil
}

func (m *model) rubFilter() tea.Cmd {
	if r := []rune(m.filter.text); len(r) > 0 {
		m.filterBy(string(r[:len(r)-1]))
	}
	return nil
}
