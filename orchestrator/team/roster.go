package team

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/store"
)

// Roster holds all members and their keys, and tells who calls. Its methods are safe for concurrent use.
type Roster struct {
	*directory
	Names   *names
	Records *records
	Hosts   *machines
	store   *store.Store
	now     func() time.Time
	log     *slog.Logger

	// InvitationLife is how long an invitation may be used. It is set before the roster is shared.
	InvitationLife time.Duration

	Keys Keyring

	founding sync.Mutex     // held while parley's own member is made
	late     sync.WaitGroup // reports that wait for a courier to finish its message
	closed   atomic.Bool    // reports are dropped
}

// New returns a roster without members, of the host with a name: "" if all agents are on this machine.
func New(s *store.Store, host string, now func() time.Time, log *slog.Logger) *Roster {
	all := &directory{byID: map[string]*Member{}, byName: map[string]*Member{}}
	return &Roster{
		directory: all, Names: &names{directory: all, store: s}, Records: &records{s}, Hosts: &machines{s, host},
		store: s, now: now, log: log,
	}
}

// Load returns the roster of all agents and keys in the store.
func Load(ctx context.Context, s *store.Store, now func() time.Time, log *slog.Logger) (*Roster, error) {
	agents, err := s.Agents.List(ctx)
	if err != nil {
		return nil, err
	}

	r := New(s, s.Hosts.Team().Own, now, log)
	for _, a := range agents {
		r.Add(NewMember(a))
	}

	keys, err := s.Keys.List(ctx)
	for i := range keys {
		r.Keys.Add(r.byID[keys[i].AgentID], &keys[i])
	}

	return r, err
}

// Close waits until the postponed reports are recorded. Reports that would have to wait are dropped
// from then on.
func (r *Roster) Close() {
	r.closed.Store(true)
	r.late.Wait()
}

// System returns the member that sends parley's own notices. It is created when it is first needed.
func (r *Roster) System(ctx context.Context) (*Member, error) {
	r.founding.Lock()
	defer r.founding.Unlock()

	if m := r.ByName(parley.SystemName); m != nil {
		return m, nil
	}

	now := r.now()
	a := parley.Agent{ID: NewID(), Name: parley.SystemName, AgentSpec: parley.AgentSpec{Description: "parley itself"},
		Kind: parley.KindSystem, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	err := r.store.Agents.CreateAgent(ctx, a, nil)
	if m := r.ByName(parley.SystemName); m != nil && parley.ErrorCode(err) == parley.AgentExists {
		return m, nil // another host was faster, which the transaction has told
	}
	if err != nil {
		return nil, fmt.Errorf("create the sender of parley's own words: %w", err)
	}

	m := NewMember(a)
	r.Add(m)

	return m, nil
}

// EnsureOperator creates the member of the person at the keyboard, unless it exists, and gives it the key
// unless that is nil. Once there are agents, a new key is not believed: it could be from one of them.
func (r *Roster) EnsureOperator(ctx context.Context, key *store.APIKey) error {
	if m := r.ByName(parley.OperatorName); m != nil {
		if key == nil || len(r.All()) > 1 || r.Keys.Find(key.Hash) != nil {
			return nil
		}
		_, err := r.SwapKeys(ctx, m, key, func(*Key) bool { return false })
		return err
	}

	now := r.now()
	a := parley.Agent{ID: NewID(), Name: parley.OperatorName,
		AgentSpec: parley.AgentSpec{Description: "the person at the keyboard"},
		Kind:      parley.KindHuman, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	err := r.store.Agents.CreateAgent(ctx, a, key)
	if parley.ErrorCode(err) == parley.AgentExists {
		return r.Reload(ctx) // another host was faster
	}
	if err != nil {
		return fmt.Errorf("create the operator: %w", err)
	}

	m := NewMember(a)
	r.Add(m)
	r.Keys.Add(m, key)

	return nil
}

// TakeSeen returns the time of the last call of each agent that made one since TakeSeen was last
// called, by the agent's id.
func (r *Roster) TakeSeen() map[string]time.Time {
	seen := map[string]time.Time{}
	for _, m := range r.All() {
		if at := m.takeSeen(); !at.IsZero() {
			seen[m.ID] = at
		}
	}
	return seen
}

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

// SetProgram records what a member runs, first in the database and then in memory.
func (r *records) SetProgram(ctx context.Context, m *Member, p parley.Program) error {
	if err := r.store.Agents.SetAgentProgram(ctx, m.ID, p); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Profile, m.agent.Command, m.agent.Session = p.Profile, p.Command, p.Session
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

// SetPorts records the ports that are reserved for a member, first in the database and then in memory.
func (r *records) SetPorts(ctx context.Context, m *Member, ports parley.Ports) error {
	if err := r.store.Agents.SetAgentPorts(ctx, m.ID, ports); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Reserved = ports
	return nil
}

// SetPull records the pull request of a member, nil for none, first in the database and then in memory.
func (r *records) SetPull(ctx context.Context, m *Member, p *parley.PullRequest) error {
	if err := r.store.Agents.SetPullRequest(ctx, m.ID, p); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent.Pull = p
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
