package store

import (
	"encoding/json"
	"strings"
	"time"

	"parley"
)

// nanos is how a time is stored; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// agentRow is a row of agents.
type agentRow struct {
	ID            string
	Name          string
	Description   string
	Role          string
	Capabilities  []string `gorm:"serializer:json"`
	TeamGroups    []string `gorm:"serializer:json"`
	Kind          string
	State         string
	Since         int64
	Evidence      string
	ExitStatus    *int
	Host          string
	Profile       string
	Command       []string `gorm:"serializer:json"`
	Dir           string
	Orchestrate   bool
	Interruptible bool
	Socket        string
	Pane          string
	Approval      string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	LastActive    int64
}

// TableName is gorm's way to ask.
func (agentRow) TableName() string { return "agents" }

func rowOf(a *parley.Agent) agentRow {
	return agentRow{ID: a.ID, Name: a.Name, Description: a.Description, Role: a.Role,
		Capabilities: list(a.Capabilities), TeamGroups: list(a.Groups), Kind: string(a.Kind), State: string(a.State),
		Since: nanos(a.Since), Evidence: a.Evidence, ExitStatus: a.ExitStatus, Host: a.Host,
		Profile: a.Profile, Command: list(a.Command), Dir: a.Dir, Orchestrate: a.Orchestrate, Interruptible: a.Interruptible, Approval: string(a.Approval),
		Socket: a.Socket, Pane: a.Pane, CreatedAt: nanos(a.CreatedAt), LastActive: nanos(a.LastActive)}
}

// list makes an absent list an empty one: gorm would store NULL.
func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}

func unlist(l []string) []string {
	if len(l) == 0 {
		return nil
	}
	return l
}

func (r *agentRow) agent() parley.Agent {
	return parley.Agent{ID: r.ID, Name: r.Name, Description: r.Description, Role: r.Role,
		Capabilities: unlist(r.Capabilities), Groups: unlist(r.TeamGroups), Kind: parley.AgentKind(r.Kind),
		State: parley.AgentState(r.State), Since: instant(r.Since), Evidence: r.Evidence,
		ExitStatus: r.ExitStatus, Host: r.Host, Profile: r.Profile, Command: unlist(r.Command), Dir: r.Dir,
		Orchestrate: r.Orchestrate, Interruptible: r.Interruptible, Socket: r.Socket, Pane: r.Pane,
		Approval: parley.Approval(r.Approval), IsSpecial: r.Approval == string(parley.ApprovalGiven),
		CreatedAt: instant(r.CreatedAt), LastActive: instant(r.LastActive)}
}

// messageColumns are those of a messageRow, of messages m and its sender s.
const messageColumns = `m.seq, m.id, m.kind, m.type, m.priority, m.sender_id, s.name AS sender, s.role AS sender_role,
	m.text, m.data, m.context_reference, m.in_reply_to, m.accepted_at,
	m.thread_id, m.attachments, m.requires_response, m.response_deadline, m.response_status, m.chain_id, m.hop`

// messageRow is a row of messages and its sender's name and role.
type messageRow struct {
	Seq              int64
	ID               string
	Kind             string
	Type             string
	Priority         string
	SenderID         string
	Sender           string
	SenderRole       string
	Text             string
	Data             string
	ContextReference string
	InReplyTo        string
	AcceptedAt       int64
	ThreadID         string
	Attachments      string
	RequiresResponse bool
	ResponseDeadline int64
	ResponseStatus   string
	ChainID          string
	Hop              int
}

func (r *messageRow) message() parley.Message {
	m := parley.Message{ID: r.ID, Kind: parley.MessageKind(r.Kind), Type: parley.MessageType(r.Type),
		Priority: parley.Priority(r.Priority), SenderID: r.SenderID, Sender: r.Sender, SenderRole: r.SenderRole,
		Text: r.Text, ContextReference: r.ContextReference, InReplyTo: r.InReplyTo, Timestamp: instant(r.AcceptedAt),
		ThreadID: r.ThreadID, Attachments: attachmentsFrom(r.Attachments), RequiresResponse: r.RequiresResponse,
		ResponseStatus: parley.ResponseStatus(r.ResponseStatus), ChainID: r.ChainID, Hop: r.Hop}
	if r.Data != "" {
		m.Data = json.RawMessage(r.Data)
	}
	m.ResponseDeadline = moment(r.ResponseDeadline)
	return m
}

// moment is a time that may be none.
func moment(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := instant(n)
	return &t
}

// attachmentsText is how a message's attachments are stored: a JSON list, or
// empty for none.
func attachmentsText(list []json.RawMessage) string {
	if len(list) == 0 {
		return ""
	}
	b, err := json.Marshal(list)
	if err != nil { // they were decoded before
		return ""
	}
	return string(b)
}

func attachmentsFrom(text string) []json.RawMessage {
	var list []json.RawMessage
	if text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// deliveryColumns are those of a deliveryRow, of deliveries d, its message m and
// its recipient r.
const deliveryColumns = `m.id AS message_id, d.message_seq, d.recipient_id, r.name AS recipient, d.conversation_id,
	d.state, d.reason, d.notice, d.pane_seq, d.queued_at, d.read_at, d.steps, d.answered_at, d.answered_by,
	d.withheld, d.withheld_until, d.archived, d.decision`

// deliveryRow is a row of deliveries and the recipient's name.
type deliveryRow struct {
	MessageID      string
	MessageSeq     int64
	RecipientID    string
	Recipient      string
	ConversationID string
	State          string
	Reason         string
	Notice         bool
	PaneSeq        int64
	QueuedAt       int64
	ReadAt         *int64
	Steps          string
	AnsweredAt     int64
	AnsweredBy     string
	Withheld       string
	WithheldUntil  int64
	Archived       bool // ignored; an answer is seen by its time
	Decision       string
}

func (r *deliveryRow) delivery() parley.Delivery {
	d := parley.Delivery{MessageID: r.MessageID, RecipientID: r.RecipientID, Recipient: r.Recipient,
		ConversationID: r.ConversationID, State: parley.DeliveryState(r.State), Reason: r.Reason,
		Steps: stepsFrom(r.Steps), AnsweredAt: moment(r.AnsweredAt), AnsweredBy: r.AnsweredBy}
	if r.ReadAt != nil {
		d.ReadAt = moment(*r.ReadAt)
	}
	d.Decision = decisionFrom(r.Decision, d.RecipientID, d.Recipient)
	if d.State == parley.DeliveryHeld && r.Withheld != "" {
		d.Hold = &parley.Hold{Code: parley.HoldConversation, Reason: r.Withheld, Until: moment(r.WithheldUntil)}
	}
	return d
}

// itemRow is a delivery and its message, in one row of an answer.
type itemRow struct {
	Message  messageRow  `gorm:"embedded"`
	Delivery deliveryRow `gorm:"embedded"`
}

// stepLine is a step as it is appended to a delivery's steps.
func stepLine(st parley.Step) string {
	b, err := json.Marshal(st)
	if err != nil { // a year beyond 9999
		return ""
	}
	return string(b) + "\n"
}

func stepsFrom(lines string) []parley.Step {
	var steps []parley.Step
	for line := range strings.Lines(lines) {
		var st parley.Step
		if json.Unmarshal([]byte(line), &st) == nil {
			steps = append(steps, st)
		}
	}
	return steps
}

// eventColumns are those of an eventRow's values.
const eventColumns = "type, at, message_seq, recipient_id, recipient_count, agent_id, state, detail"

// eventRow is a row of events.
type eventRow struct {
	Type           parley.EventType
	At             int64
	MessageSeq     int64
	RecipientID    string
	RecipientCount int
	AgentID        string
	State          string
	Detail         string
}

func (e *eventRow) values() []any {
	return []any{string(e.Type), e.At, e.MessageSeq, e.RecipientID, e.RecipientCount, e.AgentID, e.State, e.Detail}
}

const logColumns = "agent_id, log_type, message, details, at"

// logRow is a row of agent_log.
type logRow struct {
	ID      int64
	AgentID string
	LogType string
	Message string
	Details string
	At      int64
}

func (l *logRow) values() []any {
	return []any{l.AgentID, l.LogType, l.Message, l.Details, l.At}
}

// communication is what the agent log keeps of a delivery.
type communication struct {
	SenderID    string    `json:"sender_id"`
	RecipientID string    `json:"recipient_id"`
	Type        string    `json:"message_type"`
	Content     string    `json:"message_content"`
	Timestamp   time.Time `json:"timestamp"`
}
