package team

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/plain"
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
	if since, away := r.Hosts.Away(m); away && a.State != parley.StateTerminated {
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
		r.Names.Titles.Add(id, title)
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

// directory holds all members by id and by name. Members are added, never removed.
type directory struct {
	mu     sync.RWMutex
	byID   map[string]*Member
	byName map[string]*Member // lower case
}

// Add adds a member, which must be in the database already.
func (d *directory) Add(m *Member) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byID[m.ID] = m
	d.byName[strings.ToLower(m.Name)] = m
}

// ByID returns the member with this id, nil if there is none.
func (d *directory) ByID(id string) *Member {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byID[id]
}

// ByName returns the member with this name in any case, nil if there is none.
func (d *directory) ByName(name string) *Member {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byName[strings.ToLower(name)]
}

// All returns all members sorted by name, except parley itself, to which nothing can be addressed.
func (d *directory) All() []*Member {
	d.mu.RLock()
	defer d.mu.RUnlock()
	members := make([]*Member, 0, len(d.byID))
	for _, m := range d.byID {
		if m.Kind != parley.KindSystem {
			members = append(members, m)
		}
	}
	slices.SortFunc(members, func(a, b *Member) int { return cmp.Compare(a.Name, b.Name) })
	return members
}

// Find resolves a name, an id, or the unambiguous beginning of an id of at least parley.ShortID
// characters. The error is AGENT_NOT_FOUND, and names similar agents.
func (d *directory) Find(ref string) (*Member, error) {
	ref = strings.TrimSpace(ref)
	for _, m := range []*Member{d.ByName(ref), d.ByID(strings.ToLower(ref))} {
		if m != nil && m.Kind != parley.KindSystem {
			return m, nil
		}
	}

	var found []*Member
	if len(ref) >= parley.ShortID {
		for _, m := range d.All() {
			if strings.HasPrefix(m.ID, strings.ToLower(ref)) {
				found = append(found, m)
			}
		}
	}

	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, d.notFound(ref)
	}

	return nil, parley.Errorf(parley.AgentNotFound, "%q matches %d agents", ref, len(found)).
		Suggest("Use the agent's name, or more of its id.")
}

// notFound returns AGENT_NOT_FOUND with the names that could have been meant.
func (d *directory) notFound(ref string) error {
	var names, stopped []string
	for _, m := range d.All() {
		if m.Agent().State != parley.StateTerminated {
			names = append(names, m.Name)
		} else if m.Kind == parley.KindTerminal {
			stopped = append(stopped, m.Name)
		}
	}

	err := parley.Errorf(parley.AgentNotFound, "there is no agent %q", plain.CleanLine(plain.Truncate(ref, 64))).
		With("agents", names)
	switch {
	case strings.EqualFold(ref, parley.Everyone):
		return err.Suggest(`"ALL" is everyone where it is the only recipient; else name one agent after the other.`)
	case strings.ContainsAny(ref, ",;"):
		return err.Suggest("Give several names as a list, one item for each.")
	}

	if near := plain.Nearest(ref, names); near != "" {
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
