package agents

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// agentColumn is a column of the list that is drawn where there is room, and where any agent has
// something in it.
type agentColumn struct {
	head string
	rank int // the lowest gets room first
	most int // columns
	text func(a *Screen, s *parley.AgentStatus) string
}

// agentColumns are in the order in which they are drawn, after the state and the name of an agent.
var agentColumns = []agentColumn{
	{"for", 1, 4, func(a *Screen, s *parley.AgentStatus) string { return kit.Since(s.Since, a.Now) }},
	{"role", 5, 18, func(_ *Screen, s *parley.AgentStatus) string { return kit.SafeLine(s.Role) }},
	{"runs", 4, 20, func(_ *Screen, s *parley.AgentStatus) string { return program(s) }},
	{"branch", 6, 20, func(_ *Screen, s *parley.AgentStatus) string { return branch(s) }},
	{"directory", 8, 20, (*Screen).directory},
	{"context", 9, 7, func(_ *Screen, s *parley.AgentStatus) string { return contextOf(s) }},
	{"today", 7, 14, func(_ *Screen, s *parley.AgentStatus) string { return spent(s) }},
	{"last hour", 3, team.HourSpans, (*Screen).curve},
	{"work", 8, team.HourSpans, workCurve},
	{"talk", 2, team.TemperatureColumn - 1, func(a *Screen, s *parley.AgentStatus) string { return a.temperature(s).InList() }},
	{"waiting", 0, 34, func(_ *Screen, s *parley.AgentStatus) string { return counts(s) }},
}

// agentTable is how wide the columns of the list are.
type agentTable struct {
	name    int
	columns []agentColumn
	widths  []int // of the columns; 0 for those that are not drawn
	rest    int   // what the reason, or the last message, has
	longest int   // of the reasons why agents wait for a person, without what could be done
	natural int   // the width with which nothing is cut
	busiest int   // of the agents' curves
	oneDir  bool  // all agents work in one directory
}

// What the last message of an agent needs to be worth a look, and to be read.
const (
	leastRest = 24
	goodRest  = 40
)

// measure finds out how wide the columns would like to be.
func (a *Screen) measure() {
	t := &a.table
	t.name, t.longest, t.widths = 5, 0, make([]int, len(t.columns))
	t.busiest, t.oneDir = max(1, a.Ledger.Busiest(a.Now)), a.oneDirectory()
	for _, s := range a.list {
		t.name = max(t.name, kit.Width(s.Name))
		if team.WaitsForPerson(s) {
			t.longest = max(t.longest, kit.Width(team.FirstSentence(team.WaitsWords(s))))
		}
		for i, c := range t.columns {
			t.widths[i] = max(t.widths[i], min(kit.Width(c.text(a, s)), c.most))
		}
	}

	t.name, t.natural = min(t.name, 24), 0
	for i, w := range t.widths {
		if w > 0 {
			t.widths[i] = max(w, kit.Width(t.columns[i].head))
			t.natural += t.widths[i] + 1
		}
	}
	t.natural += agentFixed + t.name + 2 + max(t.longest, goodRest)
}

// agentFixed are the columns of the marker, the shape of the state, its word, and the gap after the name.
const agentFixed = 2 + 2 + 1 + 11

// shrunk returns the table on a list of w columns. The reason why an agent waits for a person is cut last: the other
// columns go before it, and then the name becomes shorter. No other reason takes a column's place.
func (t agentTable) shrunk(w int) agentTable {
	wanted := t.widths
	t.widths = make([]int, len(wanted))
	left := w - agentFixed - t.name - 2 - max(t.longest, leastRest)

	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return t.columns[i].rank - t.columns[j].rank })

	for _, i := range order {
		if need := wanted[i] + 1; wanted[i] > 0 && need <= left {
			t.widths[i] = wanted[i]
			left -= need
		}
	}

	if left < 0 {
		t.name = max(t.name+left, min(t.name, 10))
	}

	t.rest = w - agentFixed - t.name - 2
	for _, n := range t.widths {
		if n > 0 {
			t.rest -= n + 1
		}
	}

	return t
}

// heads draws the headings of the columns.
func (a *Screen) heads(t agentTable, w int) string {
	line := "    " + kit.Pad("agent", t.name) + " " + kit.Pad("state", 11)
	for i, n := range t.widths {
		if n > 0 {
			line += " " + kit.Pad(t.columns[i].head, n)
		}
	}
	return a.Theme.Dim.Render(kit.Fit(line+"  why it waits, or last message", w))
}

// agentLine draws an agent: its state in shape and word, its name, the columns that there is room for, and why
// it is held or the last message.
func (a *Screen) agentLine(s *parley.AgentStatus, t agentTable, w int) string {
	selected := s.ID == a.Sel
	mark := kit.Marked(selected, a.Picked.Has(s.ID))
	glyph, state := kit.AgentGlyph(s.State)+" ", kit.Pad(string(s.State), 11)
	name := kit.Pad(s.Name, t.name) + " "
	rest := a.rest(s)
	if t.rest > 0 && rest != "" {
		rest = "  " + kit.Fit(rest, t.rest)
	} else {
		rest = ""
	}

	var plain, coloured strings.Builder
	for i, n := range t.widths {
		if n > 0 {
			cell := " " + kit.Pad(t.columns[i].text(a, s), n)
			plain.WriteString(cell)
			coloured.WriteString(a.cellStyle(t.columns[i].head).Render(cell))
		}
	}

	if selected {
		return a.Theme.Focus.Render(kit.Pad(mark+glyph+name+state+plain.String()+rest, w))
	}

	style, restStyle := a.Theme.Agent(s.State), a.Theme.Plain
	switch {
	case team.WaitsForPerson(s):
		restStyle = a.Theme.Warn
	case team.WaitsWords(s) != "":
		restStyle = a.Theme.Dim
	}

	return mark + style.Render(glyph) + a.Theme.Name(s.Name).Render(name) + style.Render(state) +
		coloured.String() + restStyle.Render(rest)
}

// cellStyle returns how a cell of a column looks.
func (a *Screen) cellStyle(head string) interface{ Render(...string) string } {
	switch head {
	case "waiting":
		return a.Theme.Plain
	case "last hour", "work":
		return a.Theme.Busy
	}
	return a.Theme.Dim
}

// branch returns the branch of an agent's own worktree.
func branch(s *parley.AgentStatus) string {
	if s.Worktree == nil {
		return ""
	}
	return kit.SafeLine(s.Worktree.Branch)
}

// directory returns where an agent works, if that is not where all of them do.
func (a *Screen) directory(s *parley.AgentStatus) string {
	if s.Dir == "" || s.Worktree != nil || a.table.oneDir {
		return ""
	}
	return kit.SafeLine(filepath.Base(s.Dir))
}

func (a *Screen) oneDirectory() bool {
	return !slices.ContainsFunc(a.list, func(s *parley.AgentStatus) bool {
		return s.Dir != "" && s.Dir != a.list[0].Dir && s.Worktree == nil
	})
}

// contextOf returns how long the conversation of the agent's program is.
func contextOf(s *parley.AgentStatus) string {
	if s.Context == 0 {
		return ""
	}
	return parley.FormatCount(s.Context)
}

// spent returns what the agent's program has used today: tokens, and money where there are prices.
func spent(s *parley.AgentStatus) string {
	if s.Today == nil || s.Today.Total() == 0 {
		return ""
	}
	words := parley.FormatCount(s.Today.Total())
	if s.Today.Cost > 0 {
		words += " " + parley.FormatCost(s.Today.Cost)
	}
	return words
}

// curve draws how many messages an agent wrote and got in the last hour, on a scale that all agents share.
func (a *Screen) curve(s *parley.AgentStatus) string {
	figures := a.Ledger.Curve(s.ID, a.Now)
	if slices.Max(figures) == 0 {
		return ""
	}
	return kit.SparksTo(figures, a.table.busiest)
}

// workCurve draws when an agent was at work in the last hour.
func workCurve(a *Screen, s *parley.AgentStatus) string {
	seconds := a.Ledger.Work.Curve(s, a.Now)
	if slices.Max(seconds) == 0 {
		return ""
	}
	return kit.SparksTo(seconds, int(team.HourSpan.Seconds()))
}

// compare orders two agents by what the operator chose, the most first.
func (a *Screen) compare(x, y *parley.AgentStatus) int {
	switch a.order {
	case byGroup:
		return strings.Compare(cmp.Or(groupOf(x), lastGroup), cmp.Or(groupOf(y), lastGroup))
	case byMessages:
		return a.Ledger.Sum(y.ID, a.Now) - a.Ledger.Sum(x.ID, a.Now)
	case byTokens:
		return cmp.Compare(tokensOf(y), tokensOf(x))
	case byTime:
		return x.Since.Compare(y.Since)
	case byTrouble:
		if by := team.Section(x) - team.Section(y); by != 0 || team.Section(x) != team.InTrouble {
			return by
		}
		return cmp.Or(team.UrgencyOf(x)-team.UrgencyOf(y), x.Since.Compare(y.Since))
	}
	return 0
}

func tokensOf(s *parley.AgentStatus) int64 {
	if s.Today == nil {
		return 0
	}
	return s.Today.Total()
}
