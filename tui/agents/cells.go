package agents

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// cells are what the list tells of agents.
type cells struct {
	room     *room.Shared
	branches branches
	busiest  int  // of the agents' curves
	oneDir   bool // all agents work in one directory
	alike    bool // they run the same
	hosts    bool // they are on several machines
}

// compare finds out what tells the agents of a list apart.
func (c *cells) compare(list []*parley.AgentStatus) {
	c.busiest, c.oneDir, c.hosts = max(1, c.room.Ledger.Busiest(c.room.Now)), inOneDirectory(list), onSeveralHosts(list)
	c.alike = len(list) > 1 && !slices.ContainsFunc(list, func(s *parley.AgentStatus) bool {
		return op.Runs(s) != op.Runs(list[0])
	})
}

// now returns what is to be said of an agent: what it waits for if a person must act, else what it does by its own
// words, else what was last said, or how its state is known.
func (c *cells) now(s *parley.AgentStatus) (string, lipgloss.Style) {
	th := c.room.Theme
	if s.LimitedUntil != nil { // the end first: the column is narrow
		return "usage limit until " + plain.FormatEnd(*s.LimitedUntil), th.Warn
	}

	if c.room.Team.Asks(s) {
		return team.Asking(c.room.Team.Asked[s.ID]), th.Warn
	}

	why, last, doing := team.WaitsWords(s), c.room.LastWords.Get(s.ID), kit.SafeLine(s.Doing)
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

	all := []string{b.of(s, 40)}
	for _, fact := range op.AgentFacts(s) {
		all = append(all, kit.SafeLine(fact))
	}
	return append(all, kit.SafeLine(strings.Join(s.Groups, ", ")), kit.SafeLine(s.Dir))
}

// told is what a filter looks through besides the name of an agent: all that its row says.
func (c *cells) told(s *parley.AgentStatus) []string {
	now, _ := c.now(s)
	return append([]string{s.Role, string(s.State), op.Runs(s), branch(s), s.Host, now, op.Messages(s)}, s.Groups...)
}

// runs returns what an agent runs, if that tells it from others.
func (c *cells) runs(s *parley.AgentStatus) string {
	if c.alike {
		return ""
	}
	return op.Runs(s)
}

// temperature returns that of the hottest conversation that an agent is in.
func (c *cells) temperature(s *parley.AgentStatus) team.Temperature {
	return c.room.Temperatures.Hottest(s.ID, c.room.Now)
}

// branch returns the branch of an agent's own worktree.
func branch(s *parley.AgentStatus) string {
	if s.Worktree == nil {
		return ""
	}
	return kit.SafeLine(s.Worktree.Branch)
}

// directory returns where an agent works, if that is not where all of them do.
func (c *cells) directory(s *parley.AgentStatus) string {
	if s.Dir == "" || s.Worktree != nil || c.oneDir {
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
func (c *cells) host(s *parley.AgentStatus) string {
	if !c.hosts {
		return ""
	}
	return kit.SafeLine(s.Host)
}

func onSeveralHosts(list []*parley.AgentStatus) bool {
	return slices.ContainsFunc(list, func(s *parley.AgentStatus) bool { return s.Host != list[0].Host })
}

// curve draws how many messages an agent wrote and got in the last hour, on a scale that all agents share.
func (c *cells) curve(s *parley.AgentStatus) string {
	figures := c.room.Ledger.Curve(s.ID, c.room.Now)
	if slices.Max(figures) == 0 {
		return ""
	}
	return kit.SparksTo(figures, c.busiest)
}

// workCurve draws when an agent was at work in the last hour.
func (c *cells) workCurve(s *parley.AgentStatus) string {
	seconds := c.room.Ledger.Work.Curve(s, c.room.Now)
	if slices.Max(seconds) == 0 {
		return ""
	}
	return kit.SparksTo(seconds, int(team.HourSpan.Seconds()))
}
