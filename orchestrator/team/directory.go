package team

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/plain"
)

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
