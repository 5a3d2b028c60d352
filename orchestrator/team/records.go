package team

import (
	"context"

	"parley"
	"parley/store"
)

// records keep what is known of members in the database, too.
type records struct{ store *store.Store }

// SetState records a new state of an agent, first in the database and then in memory, and wakes its
// courier. It does nothing when state and evidence are those known already.
func (r *records) SetState(ctx context.Context, m *Member, state parley.AgentState, evidence string, exit *int) error {
	now := m.Agent()
	if now.State == state && now.Evidence == evidence {
		return nil
	}

	since, err := r.store.Agents.SetAgentState(ctx, m.ID, state, evidence, exit)
	if err != nil {
		return err
	}

	m.mu.Lock()
	m.agent.State, m.agent.Evidence, m.agent.ExitStatus, m.agent.Since = state, evidence, exit, since
	m.mu.Unlock()
	m.Wake()

	return nil
}

// SetProfile records the profile of a member, first in the database and then in memory.
func (r *records) SetProfile(ctx context.Context, m *Member, name string) error {
	if a := m.Agent(); a.Profile == name {
		return nil
	}
	if err := r.store.Agents.SetAgentProfile(ctx, m.ID, name); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Profile = name
	return nil
}

// SetSession records the own session of a member's program, first in the database and then in memory.
func (r *records) SetSession(ctx context.Context, m *Member, s parley.Session) error {
	if m.Agent().Session == s {
		return nil
	}
	if err := r.store.Agents.SetAgentSession(ctx, m.ID, s); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Session = s
	return nil
}

// SetLabels records how a member is described and what it may do, first in the database and then in
// memory. Nothing else of a counts.
func (r *records) SetLabels(ctx context.Context, m *Member, a parley.Agent) error {
	if err := r.store.Agents.SetAgentLabels(ctx, m.ID, a); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.AgentSpec, m.agent.NoResume, m.agent.PromptHash = a.AgentSpec, a.NoResume, a.PromptHash
	return nil
}

// SetWorktree records the worktree of a member, nil for none, first in the database and then in memory.
func (r *records) SetWorktree(ctx context.Context, m *Member, w *parley.Worktree) error {
	if err := r.store.Agents.SetAgentWorktree(ctx, m.ID, w); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Worktree = w
	return nil
}
