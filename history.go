package parley

import "time"

// TeamHistoryRequest asks what the team did in the last hours.
type TeamHistoryRequest struct {
	Hours int `json:"hours,omitempty" doc:"How many hours back." min:"1" max:"168" default:"8"`
}

// TeamHistoryResult is what the team did, in numbers for pictures.
type TeamHistoryResult struct {
	Answer
	Since     time.Time      `json:"since"`
	Until     time.Time      `json:"until"`
	Truncated bool           `json:"truncated"` // there was more: it begins later than was asked for
	Agents    []AgentHistory `json:"agents"`    // by name, those without a state in that time left out
	Pairs     []PairHistory  `json:"pairs"`     // the busiest first
	Answered  []AnsweredAt   `json:"answered"`  // the questions of agents that a person answered, the oldest first
	Shared    []SharedFile   `json:"shared"`    // the newest first
	Used      []AgentHour    `json:"used"`      // the oldest first
}

// AgentHistory is what one agent did.
type AgentHistory struct {
	AgentID string      `json:"agent_id"`
	Agent   string      `json:"agent"`
	Spans   []StateSpan `json:"spans"` // without gaps, except before the first
}

// StateSpan is a time in which an agent had one state.
type StateSpan struct {
	From  time.Time  `json:"from"`
	To    time.Time  `json:"to"`
	State AgentState `json:"state"`
}

// PairHistory counts what one wrote to another.
type PairHistory struct {
	Sender    string `json:"sender"`
	Recipient string `json:"recipient"` // several of them: the thread, or how many agents
	Messages  int    `json:"messages"`
	Held      int    `json:"held"` // of them, how many waited because something held them
}

// AnsweredAt is one question of an agent, and how long it stood open.
type AnsweredAt struct {
	Agent   string    `json:"agent"`
	At      time.Time `json:"at"`      // when it was answered
	Seconds float64   `json:"seconds"` // since the agent showed it
}

// SharedFile is a file that several agents changed before one of them committed or merged it.
type SharedFile struct {
	Name   string    `json:"name"`           // in its repository, or its path if it is in none
	Agents []string  `json:"agents"`         // by name
	Apart  bool      `json:"apart"`          // in worktrees of their own: merging may conflict
	Since  time.Time `json:"since"`          // of two of them
	Until  time.Time `json:"until,omitzero"` // zero: it is still so
}

// AgentHour is what the program of an agent used in an hour.
type AgentHour struct {
	Agent string    `json:"agent"`
	Hour  time.Time `json:"hour"` // when it began
	Spending
}
