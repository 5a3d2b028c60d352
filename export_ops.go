package parley

import "time"

// ExportMessagesRequest asks for whole messages, oldest first: all of them, those of two
// agents, or a thread's.
type ExportMessagesRequest struct {
	Between  Names      `json:"between,omitempty" doc:"Two names or ids: only what they said to each other." max:"2"`
	ThreadID string     `json:"thread_id,omitempty" doc:"Or only this thread."`
	Since    *time.Time `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	After    int64      `json:"after,omitempty" doc:"The next of the page before." min:"0"`
	Limit    int        `json:"limit,omitempty" doc:"How many at most." min:"1" max:"500" default:"100"`
}

// Validate wants one conversation at most, and two agents in it.
func (r *ExportMessagesRequest) Validate() error {
	switch {
	case len(r.Between) > 0 && r.ThreadID != "":
		return Errorf(InvalidArgument, "between and thread_id were both given").With("parameter", "thread_id").
			Suggest("Give one of the two, or neither for everything.")
	case len(r.Between) == 1:
		return Errorf(InvalidArgument, "between names one agent").With("parameter", "between").
			Suggest("Name both who talked to each other.")
	}
	return nil
}

// ExportedMessage is a message and every delivery of it, with its steps.
type ExportedMessage struct {
	Message
	Deliveries []Delivery `json:"deliveries"`
}

// ExportMessagesResult is a page of messages, and where the next one begins. A page may
// have fewer than were asked for while there are more.
type ExportMessagesResult struct {
	Answer
	Messages   []ExportedMessage `json:"messages"`
	Next       int64             `json:"next"` // the after of the next call
	HasMore    bool              `json:"has_more"`
	TotalCount int               `json:"total_count,omitempty"` // in the first page: of all that were asked for
	Between    []string          `json:"between,omitempty"`     // the names of the two
	Thread     *Thread           `json:"thread,omitempty"`
}
