package team

import (
	"context"

	"parley"
)

// SetWorktree records the worktree of a member, nil for none, first in the database and then in memory.
func (r *Roster) SetWorktree(ctx context.Context, m *Member, w *parley.Worktree) error {
	if err := r.store.SetAgentWorktree(ctx, m.ID, w); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Worktree = w
	return nil
}
