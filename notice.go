package parley

import "time"

// Notice tells a person who is away what needs them. It is the body of a webhook, and what a
// command reads.
type Notice struct {
	Workspace string       `json:"workspace"`
	Host      string       `json:"host"`
	At        time.Time    `json:"at"`
	Title     string       `json:"title"` // one line
	Text      string       `json:"text"`  // a line for each need, with the command that answers it
	Needs     []NoticeNeed `json:"needs"`
	Test      bool         `json:"test,omitempty"` // a person asked for it; nothing needs them
}

// NoticeNeed is a need in a notice. A notice has no screens: they are not to leave the machine.
type NoticeNeed struct {
	Kind      NeedKind  `json:"kind"`
	Agent     string    `json:"agent"`
	Since     time.Time `json:"since"`
	Text      string    `json:"text"`
	Command   string    `json:"command"`          // the command to start with
	Action    string    `json:"suggested_action"` // what to do, in a sentence
	MessageID string    `json:"message_id,omitempty"`
}

// NoticeWay is one way by which notices go, and how the last one went.
type NoticeWay struct {
	Way     string     `json:"way"`               // command, webhook or ntfy
	Works   bool       `json:"works"`             // the last notice went, or none was sent yet
	Problem string     `json:"problem,omitempty"` // why the last one did not go; it names no address
	Since   *time.Time `json:"since,omitempty"`   // since when none goes
	Sent    int        `json:"sent"`              // how many went since the daemon started
}

// SendTestNoticeRequest has no parameters.
type SendTestNoticeRequest struct{}

// SendTestNoticeResult says how the test went, way by way.
type SendTestNoticeResult struct {
	Answer
	Ways []NoticeWay `json:"ways"`
}
