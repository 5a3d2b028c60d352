package parley

import "time"

// WorkspaceStatusRequest asks for the daemon.
type WorkspaceStatusRequest struct{}

// WorkspaceStatusResult says what runs and where.
type WorkspaceStatusResult struct {
	Answer
	Version     string         `json:"version"`
	Workspace   string         `json:"workspace"`
	PID         int            `json:"pid"`
	StartedAt   time.Time      `json:"started_at"`
	Socket      string         `json:"socket"` // the daemon's unix socket
	HTTP        string         `json:"http,omitempty"`
	TmuxSocket  string         `json:"tmux_socket,omitempty"`
	TmuxVersion string         `json:"tmux_version,omitempty"`
	Log         string         `json:"log,omitempty"`
	Database    string         `json:"database"`
	Agents      map[string]int `json:"agents"`     // how many in each state
	Deliveries  map[string]int `json:"deliveries"` // how many in each state that is not delivered
	Needs       int            `json:"needs"`      // how many things want the operator; get_needs lists them

	// Reasons counts the deliveries that are held or unconfirmed, by state and by the
	// code of what holds them or how they ended.
	Reasons map[DeliveryState]map[ReasonCode]int `json:"delivery_reasons,omitempty"`

	LastEvent int64    `json:"last_event"`
	Paused    *Pause   `json:"paused,omitempty"`   // set while communication is paused
	Warnings  []string `json:"warnings,omitempty"` // what of parley.yaml could not be had, with what to do
}

// BackupRequest names the copy's file.
type BackupRequest struct {
	Path string `json:"path" alias:"file" required:"true" doc:"Where to write the copy: the absolute path of a file that does not exist yet."`
}

// BackupResult is the finished copy.
type BackupResult struct {
	Answer
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// ShutDownRequest asks the daemon to end.
type ShutDownRequest struct {
	KeepAgents bool `json:"keep_agents,omitempty" doc:"Leave the agents running in tmux; the next daemon finds them."`
}

// ShutDownResult says what ended.
type ShutDownResult struct {
	Answer
	Stopped []string `json:"stopped_agents"`
	Left    []string `json:"left_agents,omitempty"` // adopted ones, whose programs run on where they are
}

// NeedKind says why something wants the operator.
type NeedKind string

// The kinds of need, the most pressing first.
const (
	NeedDialog      NeedKind = "dialog"      // a question is open in a terminal
	NeedLost        NeedKind = "lost"        // a terminal went away
	NeedExited      NeedKind = "exited"      // a program ended by itself
	NeedBlocked     NeedKind = "blocked"     // by a usage limit or the like
	NeedStuck       NeedKind = "stuck"       // busy without any output for too long
	NeedDraft       NeedKind = "draft"       // a draft or copy mode was left in a terminal, and messages wait behind it
	NeedUnconfirmed NeedKind = "unconfirmed" // typed, and nobody knows whether it arrived
	NeedHeld        NeedKind = "held"        // agents said too much to each other
	NeedOverdue     NeedKind = "overdue"     // a required response did not come
	NeedOwesAnswer  NeedKind = "owes_answer" // idle, and a request is not answered
	NeedUnanswered  NeedKind = "unanswered"  // a model gave no answer
	NeedApproval    NeedKind = "approval"    // an agent asked to be special
)

// Need is one thing that wants the operator. It is derived from what is known,
// and goes when that changes.
type Need struct {
	Kind      NeedKind  `json:"kind"`
	AgentID   string    `json:"agent_id"`
	Agent     string    `json:"agent"`
	Since     time.Time `json:"since"`
	Text      string    `json:"text"`             // what it is, in one line
	Command   string    `json:"command"`          // what to call first
	Action    string    `json:"suggested_action"` // what to do, in a sentence
	MessageID string    `json:"message_id,omitempty"`
	Screen    []string  `json:"screen,omitempty"` // the last lines of the agent's screen, empty ones left out
}

// GetNeedsRequest asks what wants the operator.
type GetNeedsRequest struct {
	Dismiss string `json:"dismiss,omitempty" doc:"The id of an unconfirmed or unanswered message, or its first 8 characters: it is no longer listed."`
}

// GetNeedsResult lists it, the most pressing first.
type GetNeedsResult struct {
	Answer
	Needs     []Need `json:"needs"`
	Dismissed int    `json:"dismissed"` // deliveries that this call dismissed
}

// PauseCommunicationRequest pauses the team's messages or lets them go on.
type PauseCommunicationRequest struct {
	Paused bool   `json:"paused" required:"true" doc:"true: no message is accepted or typed from now on; false: messages go on."`
	Reason string `json:"reason,omitempty" doc:"Why; shown to agents whose messages are refused." max:"200"`
}

// PauseCommunicationResult says how it is from now on.
type PauseCommunicationResult struct {
	Answer
	Paused  *Pause `json:"paused,omitempty"` // absent: messages go
	Waiting int    `json:"waiting"`          // deliveries that wait for a terminal
	Message string `json:"message"`
}

// Pause is who keeps the team from talking, since when, and why.
type Pause struct {
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

// Words say that communication is paused, by whom, and why.
func (p *Pause) Words() string {
	words := "communication is paused by " + p.By
	if p.Reason != "" {
		words += ": " + p.Reason
	}
	return words
}
