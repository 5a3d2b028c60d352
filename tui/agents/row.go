package agents

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// row draws an agent as a sentence: its name, its state and since when, what it does now, and the columns that
// there is room for.
func (t *agentTable) row(c *cells, s *parley.AgentStatus, w int, selected bool) string {
	var line strings.Builder
	put := func(text string, style lipgloss.Style) {
		if selected {
			line.WriteString(text)
		} else {
			line.WriteString(style.Render(text))
		}
	}
	column := func(i int) {
		words := t.columns[i].text(c, s)
		if t.columns[i].head == "branch" {
			words = c.branches.of(s, t.widths[i]) // how far it is must be seen
		}
		put(strings.Repeat(" ", t.gap(i))+kit.Pad(words, t.widths[i]), cellStyle(c.Theme, t.columns[i].head))
	}

	put(kit.Marked(selected, c.Picked.Has(s.ID)), c.Theme.Plain)
	put(kit.AgentGlyph(s.State)+" ", c.Theme.Agent(s.State))
	put(kit.PadName(s.Name, t.name)+" ", c.Theme.Name(s.Name))
	put(kit.Pad(string(s.State), t.state), c.Theme.Agent(s.State))
	for _, i := range t.drawn(true) {
		column(i)
	}

	words, style := c.now(s)
	if first, _, _ := strings.Cut(counts(s), " · "); first != "" && t.lacks("waiting") && !team.WaitsForPerson(s) {
		words = first + " · " + words
	}
	put("  "+kit.Pad(words, t.now), style)
	for _, i := range t.drawn(false) {
		column(i)
	}

	if selected {
		return c.Theme.Focus.Render(kit.Pad(line.String(), w))
	}
	return line.String()
}

// cellStyle returns how a cell of a column looks.
func cellStyle(th kit.Theme, head string) lipgloss.Style {
	switch head {
	case "waiting", "branch":
		return th.Plain
	case "last hour", "work":
		return th.Busy
	}
	return th.Dim
}
