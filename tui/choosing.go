package tui

import (
	"fmt"
	"strings"

	"parley"
)

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
