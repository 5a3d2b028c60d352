package tui

import "parley"

// Target is what the screen shows first. At most one of its fields is set.
type Target struct {
	Screen  string         // one of Screens
	Agent   string         // an agent's id
	Message string         // a message's id
	Thread  *parley.Thread // a discussion
}

// Screens are the values of Target.Screen, in the order of their keys.
var Screens = []string{"traffic", "agents", "threads", "needs", "health"}

// begin goes to the target before anything is read.
func (m *model) begin(to Target) {
	for i, name := range Screens {
		if name == to.Screen {
			m.at = place(i)
		}
	}

	switch {
	case to.Agent != "":
		m.at, m.agents.sel = atAgents, to.Agent
	case to.Thread != nil:
		m.at, m.threads.sel, m.threads.inTalk = atThreads, to.Thread.ID, true
		m.threads.linked = to.Thread
	case to.Message != "":
		m.at, m.traffic.want = atTraffic, to.Message
	}
}
