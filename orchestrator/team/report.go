package team

import (
	"time"

	"parley"
)

// Report is one report that an agent's program made about itself.
type Report struct {
	Event  string            // the program's name for it
	State  parley.AgentState // "" when the event says nothing about it
	Detail string            // what it waits for, or what blocks it
	// Passing says that what blocks it ends by itself, and shows on the screen until then.
	Passing bool
	// Failed says that its last turn failed, as far as it has said, and that it has begun no other. Note sets it.
	Failed bool
	At     time.Time // when the event happened
	Heard  time.Time // when the last event of any kind happened; only LastReport sets it
}

// Evidence describes the report as the evidence of a state.
func (r Report) Evidence() string {
	if r.Detail == "" {
		return "it reported " + r.Event
	}
	return "it reported " + r.Event + " (" + r.Detail + ")"
}
