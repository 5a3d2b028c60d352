package orchestrator

import (
	"time"

	"parley"
)

// report is what an agent said of itself last.
type report struct {
	event  string // in its program's own word
	state  parley.AgentState
	detail string    // what it waits for, or what blocks it
	at     time.Time // when it happened
	heard  time.Time // when the agent was heard of last, by whatever event
}

// words are the evidence of a state that the program itself reported.
func (r report) words() string {
	if r.detail == "" {
		return "it reported " + r.event
	}
	return "it reported " + r.event + " (" + r.detail + ")"
}
