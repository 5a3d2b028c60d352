package room

import (
	tea "charm.land/bubbletea/v2"

	"parley"
)

// Attach goes to the terminal of the agent under the marker.
func (a *Actions) Attach() tea.Cmd {
	s := a.Room.About().Agent
	switch {
	case s == nil:
		a.Room.Lacks(WhichAgent)
	case s.Kind != parley.KindTerminal:
		a.Room.Tell(s.Name + " has no terminal: it reads its messages over the API.")
	default:
		a.Room.Tell("Attaching to " + s.Name + "." + a.Room.Keys.ReturnHint(s, " ", " returns."))
		return a.Room.Do.Attach(s.Name)
	}
	return nil
}

// ReturnHint names the key that comes back from an agent's terminal, between two
// texts. It is empty for an adopted agent, which lives in the person's own tmux
// with their keys.
func (d *keyboard) ReturnHint(s *parley.AgentStatus, before, after string) string {
	if s != nil && s.Adopted() {
		return ""
	}
	return before + d.returnKey + after
}
