package orchestrator

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

// roster is everyone, by id and by name. Members are added, never removed.
type roster struct {
	store  *store.Store
	now    func() time.Time
	log    *slog.Logger
	titles titles

	mu     sync.RWMutex
	byID   map[string]*member
	byName map[string]*member // lower case
	keys   keyring

	founding sync.Mutex     // held while parley's own member is made
	late     sync.WaitGroup // reports that wait for a delivery to end
	closed   atomic.Bool
}

func loadRoster(ctx context.Context, s *store.Store, now func() time.Time, log *slog.Logger) (*roster, error) {
	agents, err := s.Agents(ctx)
	if err != nil {
		return nil, err
	}

	r := &roster{store: s, now: now, log: log, byID: map[string]*member{}, byName: map[string]*member{}}
	for _, a := range agents {
		r.add(newMember(a))
	}

	keys, err := s.Keys(ctx)
	for i := range keys {
		r.keys.add(r.byID[keys[i].AgentID], &keys[i])
	}

	return r, err
}

// close waits for the reports that are being recorded; later ones are dropped.
func (r *roster) close() {
	r.closed.Store(true)
	r.late.Wait()
}

func (r *roster) add(m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byID[m.id] = m
	r.byName[strings.ToLower(m.name)] = m
}

func (r *roster) id(id string) *member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byID[id]
}

func (r *roster) named(name string) *member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.byName[strings.ToLower(name)]
}

// all returns everyone by name, but not parley itself, which is nobody's address.
func (r *roster) all() []*member {
	r.mu.RLock()
	defer r.mu.RUnlock()
	members := make([]*member, 0, len(r.byID))
	for _, m := range r.byID {
		if m.kind != parley.KindSystem {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(a.name, b.name) })
	return members
}

// find resolves a name, an id, or the unambiguous beginning of an id.
func (r *roster) find(ref string) (*member, error) {
	ref = strings.TrimSpace(ref)
	for _, m := range []*member{r.named(ref), r.id(strings.ToLower(ref))} {
		if m != nil && m.kind != parley.KindSystem {
			return m, nil
		}
	}

	var found []*member
	if len(ref) >= parley.ShortID {
		for _, m := range r.all() {
			if strings.HasPrefix(m.id, strings.ToLower(ref)) {
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

func (r *roster) notFound(ref string) error {
	var names []string
	for _, m := range r.all() {
		if m.snapshot().State != parley.StateTerminated {
			names = append(names, m.name)
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

	return err.Suggest("These are there: %s.", strings.Join(names, ", "))
}

// system is parley as a sender. It is made when it first says something.
func (r *roster) system(ctx context.Context) (*member, error) {
	r.founding.Lock()
	defer r.founding.Unlock()

	if m := r.named(parley.SystemName); m != nil {
		return m, nil
	}

	now := r.now()
	a := parley.Agent{ID: newID(), Name: parley.SystemName, Description: "parley itself",
		Kind: parley.KindSystem, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	if err := r.store.CreateAgent(ctx, a, nil); err != nil {
		return nil, fmt.Errorf("create the sender of parley's own words: %w", err)
	}

	m := newMember(a)
	r.add(m)

	return m, nil
}

// ensureOperator makes the person at the keyboard an address like any other.
func (r *roster) ensureOperator(ctx context.Context) error {
	if r.named(parley.OperatorName) != nil {
		return nil
	}
	now := r.now()
	a := parley.Agent{ID: newID(), Name: parley.OperatorName, Description: "the person at the keyboard",
		Kind: parley.KindHuman, State: parley.StateIdle, Since: now, CreatedAt: now, LastActive: now}
	if err := r.store.CreateAgent(ctx, a, nil); err != nil {
		return fmt.Errorf("create the operator: %w", err)
	}
	r.add(newMember(a))
	return nil
}

// takeSeen returns when agents made their last call, of those that made one since it
// was last asked, by their ids.
func (r *roster) takeSeen() map[string]time.Time {
	seen := map[string]time.Time{}
	for _, m := range r.all() {
		if at := m.takeSeen(); !at.IsZero() {
			seen[m.id] = at
		}
	}
	return seen
}
