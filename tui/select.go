package tui

import "parley"

// selection is the agents that the operator selected. Keys that can act on several
// agents act on these, while there are any.
type selection struct{ ids map[string]bool }

func (s *selection) has(id string) bool { return s.ids[id] }

func (s *selection) count() int { return len(s.ids) }

func (s *selection) clear() { s.ids = nil }

func (s *selection) toggle(id string) {
	if s.ids[id] {
		delete(s.ids, id)
		return
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	s.ids[id] = true
}

// prune forgets agents that have left the team.
func (s *selection) prune(t *team) {
	for id := range s.ids {
		if t.find(id) == nil {
			delete(s.ids, id)
		}
	}
}

// in returns the selected agents, by name.
func (s *selection) in(t *team) []*parley.AgentStatus {
	var all []*parley.AgentStatus
	for i := range t.list {
		if a := &t.list[i]; s.ids[a.ID] {
			all = append(all, a)
		}
	}
	return all
}
