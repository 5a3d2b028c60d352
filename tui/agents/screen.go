package agents

import (
	"fmt"
	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// Screen is the screen of the team, those in trouble first, with the terminal of
// the one under the marker.
type Screen struct {
	room.Actions
	room.Listed
	list     []*parley.AgentStatus // in the order shown
	Sel      string                // an agent's id
	Want     string                // the id of one that was launched: the marker goes to it
	top      int                   // first entry shown
	height   int
	room     int // lines that the whole list takes, or took just now
	order    order
	folds    folds
	table    agentTable
	branches branches
	preview  preview
	seen     bool                    // the preview is
	colours  bool                    // of terminals are shown
	Zoom     func(id string) tea.Cmd // shows a terminal alone
}

// order is how the agents are grouped.
type order int

const (
	byTrouble order = iota
	byGroup
	byHost
	byName
	byMessages
	byTokens
	byTime
	orders
)

// folds are the headings whose agents are folded away, for each order.
type folds map[order]map[string]bool

// branches is how far the agents' worktrees are from their bases, as git said last.
type branches struct {
	known  map[string]parley.WorktreeStatus // by agent
	asked  map[string]time.Time
	asking bool
}

// agentTable is how wide the columns of the list are.
type agentTable struct {
	name    int
	state   int
	columns []agentColumn
	widths  []int // of the columns; 0 for those that are not drawn
	now     int   // what an agent does has so many
	busiest int   // of the agents' curves
	oneDir  bool  // all agents work in one directory
	hosts   bool  // they are on several machines
}

var orderNames = []string{
	"by trouble", "by group", "by host", "by name", "by messages", "by tokens", "by time in state",
}

// agentColumn is a column of the list that is drawn where there is room, and where any agent has
// something in it.
type agentColumn struct {
	head  string
	rank  int // the lowest gets room first
	least int // columns with which it is of use
	most  int
	text  func(a *Screen, s *parley.AgentStatus) string
}

// worktreePrefix is what the branch of an agent's own worktree begins with, unless it was named otherwise.
const worktreePrefix = "parley/"

// of returns the branch of an agent's own worktree, and how far it is from its base: ↑ commits ahead, ↓ behind, and
// ~ files that are not committed. A branch that is named after the agent is left out where there is that to say.
func (b *branches) of(s *parley.AgentStatus, w int) string {
	if s.Worktree == nil {
		return ""
	}

	x, marks := b.known[s.ID], ""
	for _, m := range []struct {
		n    int
		mark string
	}{{x.Ahead, "↑"}, {x.Behind, "↓"}, {x.Dirty, "~"}} {
		if m.n > 0 {
			marks += fmt.Sprintf(" %s%d", m.mark, m.n)
		}
	}

	name := branch(s)
	if name == worktreePrefix+s.Name && marks != "" {
		return strings.TrimPrefix(marks, " ") // its name stands in the row already
	}
	return kit.FitName(name, max(4, w-kit.Width(marks))) + marks
}
