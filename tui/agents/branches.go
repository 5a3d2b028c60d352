package agents

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	branchAge  = 20 * time.Second // after which git is asked again
	branchPage = 8                // worktrees that are looked at in one go: each takes git some ten milliseconds
)

// branchesMsg is what git says of some worktrees.
type branchesMsg struct{ list []parley.WorktreeStatus }

// askBranchesInView has git look at the worktrees of the agents that are drawn.
func (a *Screen) askBranchesInView() tea.Cmd {
	b := &a.branches
	if b.asking {
		return nil
	}

	var ids []string
	for _, e := range a.inView() {
		s := e.agent
		if s != nil && s.Worktree != nil && len(ids) < branchPage && a.Now.Sub(b.asked[s.ID]) >= branchAge {
			b.asked[s.ID] = a.Now
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}

	b.asking = true

	return a.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		var msg branchesMsg
		for _, id := range ids {
			if res, err := s.ListWorktrees(ctx, parley.WorktreesRequest{Agent: id}); err == nil {
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
