package team

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/store"
)

// Roster holds all members by id and by name. Members are added, never removed. Its methods are safe
// for concurrent use.
type Roster struct {
	store  *store.Store
	own    string // the name of this host; "" if all agents are on this machine
	now    func() time.Time
	log    *slog.Logger
	Titles titles

	// Past is set before the roster is shared; nil if nothing is remembered.
	Past *Past

	// InvitationLife is how long an invitation may be used. It is set before the roster is shared.
	InvitationLife time.Duration

	mu     sync.RWMutex
	byID   map[string]*Member
	byName map[string]*Member // lower case
	Keys   Keyring

	founding sync.Mutex     // held while parley's own member is made
	late     sync.WaitGroup // reports that wait for a courier to finish its message
	closed   atomic.Bool    // reports are dropped
}

// Load returns the roster of all agents and keys in the store.
func Load(ctx context.Context, s *store.Store, now func() time.Time, log *slog.Logger) (*Roster, error) {
	agents, err := s.Agents.List(ctx)
	if err != nil {
		return nil, err
	}

	r := &Roster{store: s, own: s.Team().Own, now: now, log: log, byID: map[string]*Member{},
		byName: map[string]*Member{}}
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

// Add adds a member, which must be in the database already.
func (r *Roster) Add(m *Member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[m.ID] = m
	r.byName[strings.ToLower(m.Name)] = m
}

// ByID returns the member with this id, nil if there is none.
func (r *Roster) ByID(id string) *Member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

// ByName returns the member with this name in any case, nil if there is none.
func (r *Roster) ByName(name string) *Member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[strings.ToLower(name)]
}

// All returns all members sorted by name, except parley itself, to which nothing can be addressed.
func (r *Roster) All() []*Member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	members := make([]*Member, 0, len(r.byID))
	for _, m := range r.byID {
		if m.Kind != parley.KindSystem {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b *Member) int { return cmp.Compare(a.Name, b.Name) })
	return members
}

// Find resolves a name, an id, or the unambiguous beginning of an id of at least parley.ShortID
// characters. The error is AGENT_NOT_FOUND, and names similar agents.
func (r *Roster) Find(ref string) (*Member, error) {
	ref = strings.TrimSpace(ref)
	for _, m := range []*Member{r.ByName(ref), r.ByID(strings.ToLower(ref))} {
		if m != nil && m.Kind != parley.KindSystem {
			return m, nil
		}
	}

	var found []*Member
	if len(ref) >= parley.ShortID {
		for _, m := range r.All() {
			if strings.HasPrefix(m.ID, strings.ToLower(ref)) {
				found = append(found, m)
			}
		}
	}

	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, r.notFound(ref)
	}

	return nil, parley.Errorf(parley.AgentNotFound, "%q is the beginning of %d agents' ids", ref, len(found)).
		Suggest("Use the agent's name, or more of its id.")
}

// notFound returns AGENT_NOT_FOUND with the names that could have been meant.
func (r *Roster) notFound(ref string) error {
	var names, stopped []string
	for _, m := range r.All() {
		if m.Agent().State != parley.StateTerminated {
			names = append(names, m.Name)
		} else if m.Kind == parley.KindTerminal {
			stopped = append(stopped, m.Name)
		}
	}

	err := parley.Errorf(parley.AgentNotFound, "there is no agent %q", parley.CleanLine(parley.Truncate(ref, 64))).
		With("agents", names)
	switch {
	case strings.EqualFold(ref, parley.Everyone):
		return err.Suggest(`"ALL" is everyone where it is the only recipient; else name one agent after the other.`)
	case strings.ContainsAny(ref, ",;"):
		return err.Suggest("Give several names as a list, one item for each.")
	}

	if near := parley.Nearest(ref, names); near != "" {
		return err.Suggest("Did you mean %s?", near)
	}

	if len(names) == 1 && names[0] == parley.OperatorName {
		if len(stopped) > 0 {
			return err.Suggest("All agents are stopped: %s; parley restart NAME starts one again.",
				strings.Join(stopped, ", "))
		}
		return err.Suggest("There are no agents yet; parley launch NAME -- PROGRAM starts one.")
	}
	return err.Suggest("The agents are: %s.", strings.Join(names, ", "))
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
	err := r.store.CreateAgent(ctx, a, nil)
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
	a := parley.Agent{ID: NewID(), Name: parley.OperatorName, AgentSpec: parley.AgentSpec{Description: "the person at the keyboard"},
		Kind: parley.KindHuman, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	err := r.store.CreateAgent(ctx, a, key)
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
