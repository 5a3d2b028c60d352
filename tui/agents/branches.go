package agents

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// branches is how far the agents' worktrees are from their bases, as git said last.
type branches struct {
	known  map[string]parley.WorktreeStatus // by agent
	asked  map[string]time.Time
	asking bool
}

func newBranches() branches {
	return branches{known: map[string]parley.WorktreeStatus{}, asked: map[string]time.Time{}}
}

const (
	branchAge  = 20 * time.Second // after which git is asked again
	branchPage = 8                // worktrees that are looked at in one go: each takes git some ten milliseconds
)

// branchesMsg is what git says of some worktrees.
type branchesMsg struct{ list []parley.WorktreeStatus }

// ask has git look at the worktrees of the agents that are drawn.
func (b *branches) ask(d *room.Shared, drawn []entry) tea.Cmd {
	if b.asking {
		return nil
	}

	var ids []string
	for _, e := range drawn {
		s := e.agent
		if s != nil && s.Worktree != nil && len(ids) < branchPage && d.Now.Sub(b.asked[s.ID]) >= branchAge {
			b.asked[s.ID] = d.Now
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}

	b.asking = true

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		var msg branchesMsg
		for _, id := range ids {
			if res, err := op.ListWorktrees.Call(ctx, s, parley.WorktreesRequest{Agent: id}); err == nil {
				msg.list = append(msg.list, res.Worktrees...)
			}
		}
		return msg
	})
}

func (b *branches) take(msg branchesMsg) {
	b.asking = false
	for _, w := range msg.list {
		b.known[w.AgentID] = w
	}
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
	if strings.TrimSuffix(name, "/work") == worktreePrefix+s.Name && marks != "" {
		return strings.TrimPrefix(marks, " ") // its name stands in the row already
	}
	return kit.FitName(name, max(4, w-kit.Width(marks))) + marks
}
