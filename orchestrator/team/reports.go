package team

import (
	"time"

	"parley"
)

// Report is what an agent said of itself last.
type Report struct {
	Event  string // in its program's own word
	State  parley.AgentState
	Detail string    // what it waits for, or what blocks it
	At     time.Time // when it happened
	Heard  time.Time // when the agent was heard of last, by whatever event
}

// Words are the evidence of a state that the program itself reported.
func (r Report) Words() string {
	if r.Detail == "" {
		return "it reported " + r.Event
	}
	return "it reported " + r.Event + " (" + r.Detail + ")"
}
