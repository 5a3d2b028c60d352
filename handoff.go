package parley

import "time"

// Program is what an agent runs: enough to start it again, with its conversation.
type Program struct {
	Profile string   `json:"profile"` // "" if it is not known
	Command []string `json:"command"`
	Session Session  `json:"session,omitzero"`

	Until time.Time `json:"until,omitzero"` // when another one went on for it
}

// Handoff is what is known of an agent that another program goes on for: which programs it had, and a change that was
// begun.
type Handoff struct {
	Earlier []Program `json:"earlier,omitempty"` // the latest of each profile, the newest last
	Next    *Handing  `json:"next,omitempty"`    // begun and not ended; nil if there is none
}

// Handing is a change of an agent's program that was begun.
type Handing struct {
	From     Program   `json:"from"`
	To       Program   `json:"to"`
	Briefing string    `json:"briefing"`
	Key      string    `json:"key"` // the idempotency key of its message
	By       string    `json:"by"`  // the id of the agent that asked for it
	Began    time.Time `json:"began"`
}

// Ended returns what is known once a program goes on with the work of another one, from a time on.
func (h Handoff) Ended(from Program, at time.Time) Handoff {
	from.Until = at
	next := Handoff{}
	for _, p := range h.Earlier {
		if p.Profile != from.Profile {
			next.Earlier = append(next.Earlier, p)
		}
	}
	next.Earlier = append(next.Earlier, from)
	return next
}

// Of returns the program of a profile that the agent had, empty if it had none.
func (h Handoff) Of(profile string) Program {
	for _, p := range h.Earlier {
		if p.Profile == profile {
			return p
		}
	}
	return Program{}
}

// HandoffAgentRequest asks that another program goes on with the work of an agent. It keeps its id, name, inbox,
// debts, threads and directory.
type HandoffAgentRequest struct {
	Agent   string            `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id."`
	To      string            `json:"to" alias:"profile" required:"true" doc:"The profile of the program that goes on."`
	Command []string          `json:"command,omitempty" doc:"That program and its arguments; by default as it ran for this agent before, or the profile's."`
	Model   string            `json:"model,omitempty" doc:"The model that it is to use, in the program's own word." max:"100"`
	Text    string            `json:"text,omitempty" alias:"briefing" doc:"What it is told besides the record of the work."`
	Record  bool              `json:"record,omitempty" doc:"Brief it from the record alone, and do not ask the old program."`
	Wait    int               `json:"wait_seconds,omitempty" doc:"How long the old program may take to brief it." min:"1" max:"600" default:"60"`
	Dir     string            `json:"dir,omitempty" doc:"Working directory, if the daemon no longer knows it."`
	Env     map[string]string `json:"env,omitempty" doc:"Variables that it gets besides those of the old program."`
}

// HandoffAgentResult says which program goes on, and what did not go along.
type HandoffAgentResult struct {
	LaunchAgentResult
	From     string   `json:"from"`               // the profile of the old program
	Dropped  []string `json:"dropped,omitempty"`  // arguments of the old program, which do not go along
	Briefing string   `json:"briefing,omitempty"` // the text that the new program was told
	Briefed  Briefed  `json:"briefed_by"`         // whose words the briefing has
}

// Briefed says whose words a briefing has.
type Briefed string

// Who briefs a new program. The record is always in it.
const (
	ByProgram Briefed = "program" // the old one has answered
	ByRecord  Briefed = "record"  // the record alone
)
