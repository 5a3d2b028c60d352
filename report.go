package parley

import "time"

// ReportStateRequest is what an agent's own program says of itself.
type ReportStateRequest struct {
	Event      string     `json:"event" required:"true" doc:"What happened, in the program's own word; its profile says what that means." max:"100"`
	State      string     `json:"state,omitempty" doc:"What the program is doing now, when its profile does not say that of the event." enum:"idle,busy,prompted,waiting,blocked,ended"`
	MessageIDs []string   `json:"message_ids,omitempty" doc:"The first eight characters of the ids of the messages in the prompt that it was given." max:"50"`
	Detail     string     `json:"detail,omitempty" doc:"What it waits for, or what blocks it." max:"200"`
	At         *time.Time `json:"at,omitempty" doc:"When it happened (RFC 3339); now if it is left out."`
}

// ReportStateResult says which of the messages named were typed to the agent, as far
// as that is recorded at once.
type ReportStateResult struct {
	Answer
	Named []string `json:"named_messages"` // whole ids
}
