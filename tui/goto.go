package tui

import (
	"parley"
	"parley/tui/room"
)

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
			m.At = room.Place(i)
		}
	}

	switch {
	case to.Agent != "":
		m.At, m.agents.Sel = room.AtAgents, to.Agent
	case to.Thread != nil:
		m.At, m.threads.Sel, m.threads.InTalk = room.AtThreads, to.Thread.ID, true
		m.threads.Linked = to.Thread
	case to.Message != "":
		m.At, m.traffic.Want = room.AtTraffic, to.Message
	}
}
