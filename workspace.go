package parley

import "time"

// WorkspaceStatusRequest has no parameters.
type WorkspaceStatusRequest struct{}

// WorkspaceStatusResult says what the daemon runs, and where.
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
	Deliveries  map[string]int `json:"deliveries"` // how many in each state, delivered ones left out
	Needs       int            `json:"needs"`      // number of things that need the operator; get_needs lists them

	// Reasons counts the deliveries that are held or unconfirmed, by state and by the
	// code of what holds them or how they ended.
	Reasons map[DeliveryState]map[ReasonCode]int `json:"delivery_reasons,omitempty"`

	LastEvent int64    `json:"last_event"`
	Paused    *Pause   `json:"paused,omitempty"`   // set while communication is paused
	Warnings  []string `json:"warnings,omitempty"` // parts of parley.yaml that could not be applied, with what to do

	Notices []NoticeWay `json:"notices,omitempty"` // how notices go, if parley.yaml names a way
}

// BackupRequest names the file of the copy.
type BackupRequest struct {
	Path string `json:"path" alias:"file" required:"true" doc:"Where to write the copy: the absolute path of a file that does not exist yet."`
}

// BackupResult is the finished copy.
type BackupResult struct {
	Answer
	Path string `json:"path"`
	Size int64  `json:"size"` // bytes
}

// ShutDownRequest stops the daemon.
type ShutDownRequest struct {
	KeepAgents bool `json:"keep_agents,omitempty" doc:"Leave the agents running in tmux; the next daemon finds them."`
}

// ShutDownResult lists the agents that were stopped.
type ShutDownResult struct {
	Answer
	Stopped []string `json:"stopped_agents"`
	Left    []string `json:"left_agents,omitempty"` // adopted agents, whose programs keep running
}

// NeedKind says why something needs the operator.
type NeedKind string

// The kinds of need, the most pressing first.
const (
	NeedStorage     NeedKind = "storage"     // the database cannot be trusted, or lacks something
	NeedDialog      NeedKind = "dialog"      // a question is open in a terminal
	NeedReturn      NeedKind = "return"      // several terminals went away, as after a reboot
	NeedLost        NeedKind = "lost"        // a terminal went away
	NeedRefused     NeedKind = "refused"     // a program did not continue its conversation
	NeedExited      NeedKind = "exited"      // a program ended by itself
	NeedBlocked     NeedKind = "blocked"     // by a usage limit or the like
	NeedStuck       NeedKind = "stuck"       // busy without any output for too long
	NeedDraft       NeedKind = "draft"       // messages wait behind a draft, or behind copy mode
	NeedUnconfirmed NeedKind = "unconfirmed" // typed, without proof that it arrived
	NeedHeld        NeedKind = "held"        // the conversation protocol holds messages
	NeedOverdue     NeedKind = "overdue"     // a required response is late
	NeedOwesAnswer  NeedKind = "owes_answer" // an idle agent has not answered a request
	NeedUnanswered  NeedKind = "unanswered"  // a model gave no answer
	NeedProfile     NeedKind = "profile"     // a known program runs without parley's tools and briefing
	NeedNewcomer    NeedKind = "newcomer"    // an agent registered from elsewhere and waits to be let in
	NeedApproval    NeedKind = "approval"    // an agent asked to be special
	NeedBudget      NeedKind = "budget"      // a budget of tokens or money is used up, or nearly
	NeedOverlap     NeedKind = "overlap"     // two agents change one file
	NeedNotifier    NeedKind = "notifier"    // notices do not go
)

// NeedKinds lists the kinds of needs, the most pressing first.
func NeedKinds() []NeedKind {
	return []NeedKind{
		NeedStorage, NeedDialog, NeedReturn, NeedLost, NeedRefused, NeedExited, NeedBlocked, NeedStuck, NeedDraft,
		NeedUnconfirmed, NeedHeld, NeedOverdue, NeedOwesAnswer, NeedUnanswered, NeedProfile, NeedNewcomer,
		NeedApproval, NeedBudget, NeedOverlap, NeedNotifier,
	}
}

// Need is one thing that needs the operator. The list is computed on each call; a need
// disappears with its cause.
type Need struct {
	Kind      NeedKind  `json:"kind"`
	AgentID   string    `json:"agent_id"`
	Agent     string    `json:"agent"`
	Since     time.Time `json:"since"`
	Text      string    `json:"text"`             // what is the matter, in one line
	Command   string    `json:"command"`          // the command to start with
	Action    string    `json:"suggested_action"` // what to do, in a sentence
	MessageID string    `json:"message_id,omitempty"`
	Screen    []string  `json:"screen,omitempty"` // the last lines of the agent's screen, without empty lines
	Dialog    *Dialog   `json:"dialog,omitempty"` // that is open there, if its options are known
}

// GetNeedsRequest asks what needs the operator, and can dismiss something.
type GetNeedsRequest struct {
	Dismiss string `json:"dismiss,omitempty" doc:"The id of an unconfirmed or unanswered message, or its first 8 characters: it is no longer listed. Or storage: what the database lacks is known."`
}

// GetNeedsResult lists the needs, the most pressing first.
type GetNeedsResult struct {
	Answer
	Needs     []Need `json:"needs"`
	Dismissed int    `json:"dismissed"` // deliveries that this call dismissed
}

// PauseCommunicationRequest pauses or resumes all messages.
type PauseCommunicationRequest struct {
	Paused bool   `json:"paused" required:"true" doc:"true: no message is accepted or typed from now on; false: messages go on."`
	Reason string `json:"reason,omitempty" doc:"Why; shown to agents whose messages are refused." max:"200"`
}

// PauseCommunicationResult is the state after the call.
type PauseCommunicationResult struct {
	Answer
	Paused  *Pause `json:"paused,omitempty"` // nil if messages are not paused
	Waiting int    `json:"waiting"`          // deliveries that wait for a terminal
	Message string `json:"message"`
}

// Pause says who paused communication, since when, and why.
type Pause struct {
	By     string    `json:"by"`
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"`
}

// Words returns that communication is paused, by whom, and why.
func (p *Pause) Words() string {
	words := "communication is paused by " + p.By
	if p.Reason != "" {
		words += ": " + p.Reason
	}
	return words
}
