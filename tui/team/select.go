package team

import "parley"

// Selection is the agents that the operator selected. Keys that can act on several
// agents act on these, while there are any.
type Selection struct{ ids map[string]bool }

// Has reports whether an agent is selected.
func (s *Selection) Has(id string) bool { return s.ids[id] }

// Count returns how many are selected.
func (s *Selection) Count() int { return len(s.ids) }

// Clear forgets the selection.
func (s *Selection) Clear() { s.ids = nil }

// Toggle selects an agent, or no longer.
func (s *Selection) Toggle(id string) {
	if s.ids[id] {
		delete(s.ids, id)
		return
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

// Prune forgets agents that have left the team.
func (s *Selection) Prune(t *Roster) {
	for id := range s.ids {
		if t.Find(id) == nil {
			delete(s.ids, id)
		}
	}
}

// In returns the selected agents, by name.
func (s *Selection) In(t *Roster) []*parley.AgentStatus {
	var all []*parley.AgentStatus
	for i := range t.List {
		if a := &t.List[i]; s.ids[a.ID] {
			all = append(all, a)
		}
	}
	return all
}
