package tui

import (
	"fmt"
	"strings"

	"parley"
)

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

// marked draws the marker of a row, or of a tile: on it, selected, or both.
func marked(on, selected bool) string {
	mark, star := " ", " "
	if on {
		mark = "▸"
	}
	if selected {
		star = "*"
	}
	return mark + star
}

// namesOf joins the names of agents, as many as are read at a glance.
func namesOf(agents []*parley.AgentStatus) string {
	const most = 6
	var names []string
	for i, a := range agents {
		if i == most {
			names = append(names, fmt.Sprintf("%d more", len(agents)-most))
			break
		}
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// selectAgent selects the agent under the marker, or no longer.
func (a actions) selectAgent() bool {
	agent := a.about().agent
	if agent == nil {
		a.tell(whichAgent)
		return false
	}

	a.picked.toggle(agent.ID)
	if a.picked.count() == 0 {
		a.tell("Nothing is selected.")
		return true
	}
	a.tell(fmt.Sprintf("%s: %s. %s writes to them, %s restarts, %s stops, %s pauses, %s releases; %s clears.",
		plural(a.picked.count(), "agent"), namesOf(a.picked.in(&a.team)),
		a.key("b"), a.key("R"), a.key("S"), a.key("p"), a.key("l"), a.key("esc")))

	return true
}

// unselect clears the selection, and reports whether there was one.
func (a actions) unselect() bool {
	if a.picked.count() == 0 {
		return false
	}
	a.picked.clear()
	a.tell("Nothing is selected.")
	return true
}

// chosen returns the selected agents, else the one under the marker.
func (a actions) chosen() []*parley.AgentStatus {
	if a.picks() {
		return a.picked.in(&a.team)
	}
	if agent := a.about().agent; agent != nil {
		return []*parley.AgentStatus{agent}
	}
	return nil
}
