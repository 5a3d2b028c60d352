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

func (t *traffic) openFilter() tea.Cmd {
	t.filter.open = true
	return nil
}

// filterBy looks for text at once, as it is typed.
func (t *traffic) filterBy(text string) {
	text = visible(strings.ReplaceAll(text, "\n", " "))
	t.filter.text = text
	t.look(text)
}

func (m *model) keepFilter() tea.Cmd { m.traffic.filter.open = false; return nil }

func (m *model) dropFilter() tea.Cmd {
	m.traffic.filter.open = false
	m.traffic.filterBy("")
	return nil
}

func (m *model) rubFilter() tea.Cmd {
	if r := []rune(m.traffic.filter.text); len(r) > 0 {
		m.traffic.filterBy(string(r[:len(r)-1]))
	}
	return nil
}
