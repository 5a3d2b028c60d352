package team

import (
	"context"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/store"
)

// machines tell on which machines the agents are.
type machines struct {
	store *store.Store
	own   string // the name of this host; "" if all agents are on this machine
}

// Here reports whether a member belongs to this machine: its terminal is here, or it has none.
func (h *machines) Here(m *Member) bool {
	if h.own == "" || m.Kind != parley.KindTerminal {
		return true
	}
	host := m.Agent().Host
	return host == "" || host == h.own
}

// Away reports whether the daemon of a member's host does not run, or cannot reach the database, and
// since when.
func (h *machines) Away(m *Member) (since time.Time, away bool) {
	if h.Here(m) {
		return time.Time{}, false
	}
	a := m.Agent()
	if host := h.store.Hosts.Team().Host(a.Host); host != nil {
		return host.Until, host.Away
	}
	return a.Since, true
}

// RefuseElsewhere returns AGENT_UNAVAILABLE for an agent whose terminal is on another machine. Command is
// what to run there.
func (h *machines) RefuseElsewhere(m *Member, command string) error {
	if h.Here(m) {
		return nil
	}
	host := m.Agent().Host
	return parley.Errorf(parley.AgentUnavailable, "%s is on host %s, and parley reaches its terminal only there",
		m.Name, host).
		With("host", host).
		Suggest("Run it there: ssh %s, and in the workspace: %s", sh.Word(host), command)
}

// Seen returns an agent as it is seen from here: unreachable while its host is away.
func Seen(r *Roster, m *Member) parley.Agent {
	a := m.Agent()
	if since, away := r.Away(m); away && a.State != parley.StateTerminated {
		a.State, a.Since, a.Evidence = parley.StateUnreachable, since, "its host "+a.Host+" is away"
	}
	return a
}

// Follow takes over what other hosts have changed: agents, keys and the titles of threads. It returns the
// members that are new.
func (r *Roster) Follow(n *store.News) (fresh []*Member) {
	for _, a := range n.Agents {
		m := r.ByID(a.ID)
		if m == nil {
			m = NewMember(a)
			r.Add(m)
			fresh = append(fresh, m)
		}
		m.follow(a)
		r.Keys.replace(m, n.Keys)
	}
	for id, title := range n.Titles {
		r.Titles.Add(id, title)
	}
	return fresh
}

// Reload takes over how all agents and keys are now in the database.
func (r *Roster) Reload(ctx context.Context) error {
	agents, err := r.store.Agents.List(ctx)
	if err != nil {
		return err
	}
	keys, err := r.store.Keys.List(ctx)
	if err == nil {
		r.Follow(&store.News{Agents: agents, Keys: keys})
	}
	return err
}

// follow replaces the copy of the agent by what another host has stored, and wakes who waits for it.
func (m *Member) follow(a parley.Agent) {
	m.mu.Lock()
	a.Runs = m.agent.Runs
	if m.agent.LastActive.After(a.LastActive) {
		a.LastActive = m.agent.LastActive
	}
	m.agent = a
	m.mu.Unlock()
	m.Wake()
}

// replace makes those of the keys that belong to a member its only ones.
func (r *Keyring) replace(m *Member, keys []store.APIKey) {
	r.mu.Lock()
	known := map[string]*Key{}
	for hash, k := range r.byHash {
		if k.Member == m {
			known[hash] = k
			delete(r.byHash, hash)
		}
	}
	r.mu.Unlock()

	for i := range keys {
		if keys[i].AgentID != m.ID {
			continue
		}
		r.Add(m, &keys[i])
		if was, held := known[string(keys[i].Hash)], r.Find(keys[i].Hash); was != nil && held != nil {
			held.used.Store(was.used.Load())
			held.taken.Store(was.taken.Load())
		}
	}
}
