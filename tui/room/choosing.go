package room

import (
	"fmt"
	"strings"

	"parley"
	"parley/tui/kit"
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

// SelectAgent selects the agent under the marker, or no longer.
func (a Actions) SelectAgent() bool {
	agent := a.About().Agent
	if agent == nil {
		a.Lacks(WhichAgent)
		return false
	}

	a.Picked.Toggle(agent.ID)
	if a.Picked.Count() == 0 {
		a.Tell("Nothing is selected.")
		return true
	}
	a.Tell(fmt.Sprintf("%s: %s. %s writes to them, %s restarts, %s stops, %s pauses, %s releases; %s clears.",
		kit.Plural(a.Picked.Count(), "agent"), namesOf(a.Picked.In(&a.Team)),
		a.Key("b"), a.Key("R"), a.Key("S"), a.Key("p"), a.Key("l"), a.Key("esc")))

	return true
}

// Unselect clears the selection, and reports whether there was one.
func (a Actions) Unselect() bool {
	if a.Picked.Count() == 0 {
		return false
	}
	a.Picked.Clear()
	a.Tell("Nothing is selected.")
	return true
}
