package agents

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// agentLine draws an agent as a sentence: its name, its state and since when, what it does now, and the columns that
// there is room for.
func (a *Screen) agentLine(s *parley.AgentStatus, t agentTable, w int) string {
	selected := s.ID == a.Sel
	var line strings.Builder
	put := func(text string, style lipgloss.Style) {
		if selected {
			line.WriteString(text)
		} else {
			line.WriteString(style.Render(text))
		}
	}
	column := func(i int) {
		words := t.columns[i].text(a, s)
		if t.columns[i].head == "branch" {
			words = a.branches.of(s, t.widths[i]) // how far it is must be seen
		}
		put(strings.Repeat(" ", t.gap(i))+kit.Pad(words, t.widths[i]), cellStyle(a.Theme, t.columns[i].head))
	}

	put(kit.Marked(selected, a.Picked.Has(s.ID)), a.Theme.Plain)
	put(kit.AgentGlyph(s.State)+" ", a.Theme.Agent(s.State))
	put(kit.PadName(s.Name, t.name)+" ", a.Theme.Name(s.Name))
	put(kit.Pad(string(s.State), t.state), a.Theme.Agent(s.State))
	for _, i := range t.drawn(true) {
		column(i)
	}

	words, style := a.now(s)
	if first, _, _ := strings.Cut(counts(s), " · "); first != "" && t.lacks("waiting") && !team.WaitsForPerson(s) {
		words = first + " · " + words
	}
	put("  "+kit.Pad(words, t.now), style)
	for _, i := range t.drawn(false) {
		column(i)
	}

	if selected {
		return a.Theme.Focus.Render(kit.Pad(line.String(), w))
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

// heads draws the headings of the columns.
func (t *agentTable) heads(th kit.Theme, w int) string {
	line := "    " + kit.Pad("agent", t.name) + " " + kit.Pad("state", t.state)
	column := func(i int) {
		line += strings.Repeat(" ", t.gap(i)) + kit.Pad(t.columns[i].head, t.widths[i])
	}
	for _, i := range t.drawn(true) {
		column(i)
	}
	line += "  " + kit.Pad("now", t.now)
	for _, i := range t.drawn(false) {
		column(i)
	}

	return th.Dim.Render(kit.Fit(line, w))
}

// now returns what is to be said of an agent: what it waits for if a person must act, else what it does by its own
// words, else what was last said, or how its state is known.
func (a *Screen) now(s *parley.AgentStatus) (string, lipgloss.Style) {
	th := a.Theme
	if s.LimitedUntil != nil { // the end first: the column is narrow
		return "usage limit until " + parley.FormatEnd(*s.LimitedUntil), th.Warn
	}

	why, last, doing := team.WaitsWords(s), a.LastWords.Get(s.ID), kit.SafeLine(s.Doing)
	troubled := team.UrgencyOf(s) < len(team.Urgency)
	switch {
	case why != "" && team.WaitsForPerson(s):
		return strings.TrimPrefix(why, "waits: "), th.Warn // that it waits, its state says
	case troubled && s.Evidence != "":
		return kit.SafeLine(s.Evidence), th.Plain
	case doing != "" && s.State != parley.StateIdle:
		return doing, th.Plain
	case why != "":
		return why, th.Dim
	}
	return cmp.Or(last, doing, kit.SafeLine(s.Evidence)), th.Dim
}

// facts are what else is known of an agent, the most telling first.
func facts(b *branches, s *parley.AgentStatus) []string {
	if s == nil {
		return nil
	}

	all := []string{b.of(s, 40), program(s)}
	if n := contextOf(s); n != "" {
		all = append(all, n+" context")
	}
	if n := spent(s); n != "" {
		all = append(all, n+" today")
	}
	return append(all, kit.SafeLine(s.Role), kit.SafeLine(strings.Join(s.Groups, ", ")), kit.SafeLine(s.Dir))
}

// program returns what an agent runs: its profile, and its model if its command
// names one.
func program(s *parley.AgentStatus) string {
	if s.Kind != parley.KindTerminal {
		return kit.SafeLine(string(s.Kind))
	}

	name := cmp.Or(s.Runs, s.Profile)
	for i, arg := range s.Command {
		if value, ok := strings.CutPrefix(arg, "--model="); ok {
			name += "/" + value
		}
		if (arg == "--model" || arg == "-m") && i+1 < len(s.Command) {
			name += "/" + s.Command[i+1]
		}
	}

	return kit.SafeLine(name)
}

// counts says how much waits for an agent, and how much it owes. What waits for its terminal is unread too.
func counts(s *parley.AgentStatus) string {
	var parts []string
	unread := s.Unread
	if unread == s.Queued {
		unread = 0
	}
	for _, c := range []struct {
		n    int
		word string
	}{{s.Overdue, "overdue"}, {s.Owed - s.Overdue, "owed"}, {s.Queued, "queued"}, {unread, "unread"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return strings.Join(parts, " · ")
}

// branch returns the branch of an agent's own worktree.
func branch(s *parley.AgentStatus) string {
	if s.Worktree == nil {
		return ""
	}
	return kit.SafeLine(s.Worktree.Branch)
}

// directory returns where an agent works, if that is not where all of them do.
func directory(a *Screen, s *parley.AgentStatus) string {
	if s.Dir == "" || s.Worktree != nil || a.table.oneDir {
		return ""
	}
	return kit.SafeLine(filepath.Base(s.Dir))
}

func inOneDirectory(list []*parley.AgentStatus) bool {
	return !slices.ContainsFunc(list, func(s *parley.AgentStatus) bool {
		return s.Dir != "" && s.Dir != list[0].Dir && s.Worktree == nil
	})
}

// host returns the machine that an agent is on, if there are several.
func host(a *Screen, s *parley.AgentStatus) string {
	if !a.table.hosts {
		return ""
	}
	return kit.SafeLine(s.Host)
}

func onSeveralHosts(list []*parley.AgentStatus) bool {
	return slices.ContainsFunc(list, func(s *parley.AgentStatus) bool { return s.Host != list[0].Host })
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
func curve(a *Screen, s *parley.AgentStatus) string {
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
