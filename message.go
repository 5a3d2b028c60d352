package parley

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"parley/plain"
)

// MessageKind says how a message is addressed.
type MessageKind string

// The kinds of message.
const (
	KindDirect    MessageKind = "direct"
	KindBroadcast MessageKind = "broadcast"
	KindThread    MessageKind = "thread"
	KindSteering  MessageKind = "steering" // guidance; see Guidance
	KindNotice    MessageKind = "system"   // from parley itself
)

// MessageKinds returns every kind of message.
func MessageKinds() []MessageKind {
	return []MessageKind{KindDirect, KindBroadcast, KindThread, KindSteering, KindNotice}
}

// MessageType says what a message is for.
type MessageType string

// The types of message.
const (
	TypeInformation  MessageType = "information"
	TypeRequest      MessageType = "request"
	TypeResponse     MessageType = "response"
	TypeCoordination MessageType = "coordination"
	TypeNative       MessageType = "native" // a program sent it with a tool of its own, and parley recorded it
)

// MessageTypes returns every type of message.
func MessageTypes() []MessageType {
	return []MessageType{TypeInformation, TypeRequest, TypeResponse, TypeCoordination, TypeNative}
}

// Priority says how soon a message is delivered. An urgent message goes ahead of the
// others that wait for the same agent.
type Priority string

// The priorities.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
	PriorityUrgent Priority = "urgent"
)

// Priorities returns every priority.
func Priorities() []Priority {
	return []Priority{PriorityLow, PriorityNormal, PriorityHigh, PriorityUrgent}
}

// Message is what one sender says to one or more recipients, as it is stored. Its text is cleaned once, when it is
// accepted, and never changes afterwards; from then on it is not lost, whatever crashes.
//
// Kind says how it is addressed (to agents, to all, to a thread, as guidance, as a notice from parley), Type and
// Priority what it is to the reader. A message with RequiresResponse has a deadline; the recipients owe a formal
// response until they give one, and parley reminds them.
//
// What becomes of it is not here: each recipient has a Delivery of its own. The sender, the recipients, the
// participants of its thread and the operator may read it.
//
// ChainID and Hop belong to loop safety: a message continues the chain of the message that it answers, or of its
// sender's turn, and a person's message begins a new one. docs/delivery.md has the way of a message,
// docs/conversations.md the limits of a chain.
type Message struct {
	ID               string          `json:"message_id"`
	Kind             MessageKind     `json:"kind"`
	Type             MessageType     `json:"message_type"`
	Priority         Priority        `json:"priority"`
	SenderID         string          `json:"sender_agent_id"`
	Sender           string          `json:"sender"` // its name
	SenderRole       string          `json:"sender_role"`
	Recipients       []string        `json:"recipient_agent_ids,omitempty"`
	Text             string          `json:"text"`
	Data             json.RawMessage `json:"data,omitempty"` // a JSON object
	ContextReference string          `json:"context_reference,omitempty"`
	InReplyTo        string          `json:"in_reply_to,omitempty"`
	Timestamp        time.Time       `json:"timestamp"`

	ThreadID         string            `json:"thread_id,omitempty"` // of a thread's post; "" for others
	ThreadTitle      string            `json:"thread_title,omitempty"`
	Attachments      []json.RawMessage `json:"attachments,omitempty"`
	RequiresResponse bool              `json:"requires_response,omitempty"`
	ResponseDeadline *time.Time        `json:"response_deadline,omitempty"` // set when a response is required
	ResponseStatus   ResponseStatus    `json:"response_status,omitempty"`   // of a formal response

	Schedule *ScheduledFor `json:"schedule,omitempty"` // that it is a message of; nil for others

	ChainID string `json:"chain_id,omitempty"` // id of the message that began the chain
	Hop     int    `json:"hop"`                // number of agents' messages in the chain up to this one
}

// ScheduledFor is the place of a message on its schedule.
type ScheduledFor struct {
	ScheduleID string    `json:"schedule_id"`
	Due        time.Time `json:"due"`
	Late       bool      `json:"late,omitempty"`
}

// lateAfter is how much later than due a message counts as late. A daemon that runs is late by a second or two.
const lateAfter = time.Minute

// IsLate reports whether what was due at one time came late at another.
func IsLate(due, at time.Time) bool { return at.Sub(due) > lateAfter }

// Guidance is the data of a steering message.
type Guidance struct {
	Kind string `json:"guidance"` // its kind in capitals, such as STUCK
}

// UnmarshalJSON reads a string or a list of strings.
func (n *Names) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte(`"`)) {
		var one string
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		*n = Names{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(n))
}

// Everyone, as the only recipient, addresses every other agent.
const Everyone = "ALL"

// SendMessageRequest sends a message to agents or to a thread.
type SendMessageRequest struct {
	To               Names             `json:"to,omitempty" alias:"recipient,recipient_id,recipient_agent_id,recipient_agent_ids" doc:"Names or ids; [\"ALL\"] is everyone else."`
	Text             string            `json:"text" alias:"message,content" required:"true" doc:"1 to 2,000 characters."`
	ThreadID         string            `json:"thread_id,omitempty" doc:"Post to this thread, instead of to."`
	Type             MessageType       `json:"type,omitempty" alias:"message_type" enum:"information,request,response,coordination" default:"information" doc:"What kind of message."`
	Priority         Priority          `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal" doc:"Urgent goes ahead of waiting messages."`
	Urgent           bool              `json:"urgent,omitempty" doc:"The same as priority urgent."`
	Data             json.RawMessage   `json:"data,omitempty" doc:"For programs." object:"true"`
	Attachments      []json.RawMessage `json:"attachments,omitempty" doc:"JSON objects." max:"50"`
	RequiresResponse bool              `json:"requires_response,omitempty" doc:"The recipients must answer."`
	ResponseDeadline *time.Time        `json:"response_deadline,omitempty" implies:"requires_response" ahead:"true" doc:"By when, e.g. \"20 minutes\"."`
	ContextReference string            `json:"context_reference,omitempty" doc:"What it is about: a ticket, a file." max:"200"`
	InReplyTo        string            `json:"in_reply_to,omitempty" doc:"Id of the message it answers."`
	IdempotencyKey   string            `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds      int               `json:"wait_seconds,omitempty" doc:"How long to wait for the outcome." min:"0" max:"60"`
}

// Validate checks that exactly one of to and thread_id is given. An empty one counts as
// not given.
func (r *SendMessageRequest) Validate() error {
	named := strings.Join(r.To, "") != ""
	switch {
	case r.ThreadID != "" && named:
		return Errorf(InvalidArgument, "to and thread_id were both given").With("parameter", "thread_id").
			Suggest("Give one of the two: a post reaches all who take part in the thread.")
	case r.ThreadID != "":
		r.To = nil
	case len(r.To) == 0:
		return Errorf(InvalidArgument, "to is missing").With("parameter", "to").
			Suggest("Give to, the names or ids of the recipients, or thread_id to post to a thread.")
	}
	return nil
}

// SendMessageResult is the receipt: the stored message, and what is proven so far of its
// deliveries.
type SendMessageResult struct {
	Answer
	MessageID      string         `json:"message_id"`
	ConversationID string         `json:"conversation_id"`
	Timestamp      time.Time      `json:"timestamp"`
	Status         string         `json:"status"`  // such as: Message sent to NAME!
	Message        string         `json:"message"` // such as: Message sent to agent ID8
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Object         *Message       `json:"message_object"`
	Reply          *Reply         `json:"reply,omitempty"`      // of a responder that answered at once
	ErrorCode      Code           `json:"error_code,omitempty"` // set when success is false
	Action         string         `json:"suggested_action,omitempty"`
}

// Said says what was done.
func (r *SendMessageResult) Said() string { return r.Message }

// Failure returns the error code if the only recipient is terminated, else "".
func (r *SendMessageResult) Failure() Code { return r.ErrorCode }

// BroadcastMessageRequest sends a message to every other agent, a list, or a group.
type BroadcastMessageRequest struct {
	Text           string   `json:"text" alias:"message,content" required:"true" doc:"1 to 2,000 characters."`
	Recipients     *Names   `json:"recipients,omitempty" alias:"recipient_ids" doc:"Names or ids; every other agent by default."`
	Group          string   `json:"group,omitempty" doc:"Only the members of this group." filled:"true"`
	Urgent         bool     `json:"urgent,omitempty" doc:"The same as priority urgent."`
	Priority       Priority `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal" doc:"Urgent goes ahead of waiting messages."`
	IdempotencyKey string   `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds    int      `json:"wait_seconds,omitempty" doc:"How long to wait for the outcome." min:"0" max:"60"`
}

// Validate refuses an empty list of recipients, which must not mean everyone.
func (r *BroadcastMessageRequest) Validate() error {
	switch {
	case r.Recipients != nil && len(*r.Recipients) == 0:
		return Errorf(InvalidArgument, "the list of recipients is empty").
			Suggest("Name at least one recipient, or leave recipients out to reach everyone.")
	case r.Recipients != nil && r.Group != "":
		return Errorf(InvalidArgument, "recipients and group were both given").
			Suggest("Give one of the two.")
	}
	return nil
}

// BroadcastMessageResult is the receipt of a broadcast.
type BroadcastMessageResult struct {
	Answer
	MessageID      string         `json:"message_id"`
	RecipientCount int            `json:"recipient_count"`
	Timestamp      time.Time      `json:"timestamp"`
	Message        string         `json:"message"` // such as: Message broadcast to N agent(s)
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Object         *Message       `json:"message_object"`
}

// Said says what was done.
func (r *BroadcastMessageResult) Said() string { return r.Message }

// BroadcastUpdateRequest tells every other agent about an update.
type BroadcastUpdateRequest struct {
	UpdateType     string        `json:"update_type" required:"true" enum:"progress,discovery,issue,completion" doc:"What kind of update."`
	Content        UpdateContent `json:"content" required:"true" object:"true" doc:"The update; at least a summary."`
	Urgency        string        `json:"urgency,omitempty" enum:"info,attention,action_required,critical" default:"info" doc:"action_required obliges them to answer."`
	IdempotencyKey string        `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// UpdateContent is the body of an update.
type UpdateContent struct {
	Summary        string `json:"summary"`
	Details        string `json:"details,omitempty"`
	Impact         string `json:"impact,omitempty"`
	ActionRequired bool   `json:"action_required,omitempty"`
}

// Validate checks that the update has a summary.
func (r *BroadcastUpdateRequest) Validate() error {
	if plain.CleanLine(r.Content.Summary) == "" {
		return Errorf(InvalidArgument, "content.summary is missing").With("parameter", "content.summary").
			Suggest("Give the update in a sentence as content.summary.")
	}
	return nil
}

// BroadcastUpdateResult is the receipt of an update.
type BroadcastUpdateResult struct {
	Answer
	BroadcastID    string         `json:"broadcast_id"`
	Recipients     []string       `json:"recipients"` // agent ids
	Timestamp      time.Time      `json:"timestamp"`
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
}

// RequestAssistanceRequest asks agents for help.
type RequestAssistanceRequest struct {
	AssistanceType       string         `json:"assistance_type" required:"true" enum:"expertise,resources,review,collaboration" doc:"What kind of help."`
	TargetAgents         Names          `json:"target_agents,omitempty" doc:"Names or ids." max:"200"`
	RequiredCapabilities []string       `json:"required_capabilities,omitempty" doc:"What the helper must be able to do." max:"50"`
	RequestDetails       RequestDetails `json:"request_details" required:"true" object:"true" doc:"What you need; a deadline may be \"20 minutes\"."`
	IdempotencyKey       string         `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// RequestDetails describes the help that is needed.
type RequestDetails struct {
	Description string     `json:"description"`
	Context     string     `json:"context,omitempty"`
	Deadline    *time.Time `json:"deadline,omitempty" ahead:"true"`
	Priority    Priority   `json:"priority,omitempty"`
}

// Validate checks the description and the priority.
func (r *RequestAssistanceRequest) Validate() error {
	if plain.CleanLine(r.RequestDetails.Description) == "" {
		return Errorf(InvalidArgument, "request_details.description is missing").
			With("parameter", "request_details.description").
			Suggest("Say in request_details.description what help is needed.")
	}

	if r.RequestDetails.Priority != "" {
		return OneOf(
			"request_details.priority", string(r.RequestDetails.Priority), enumOf[SendMessageRequest]("priority"),
		)
	}

	return nil
}

// RequestAssistanceResult is the receipt of a request for help.
type RequestAssistanceResult struct {
	Answer
	RequestID           string          `json:"request_id"`
	PotentialResponders []PotentialHelp `json:"potential_responders"` // agents that could help, the best match first
	BroadcastSent       bool            `json:"broadcast_sent"`       // everyone was asked
	Timestamp           time.Time       `json:"timestamp"`
	DeliveryStatus      DeliveryStatus  `json:"delivery_status"`
	ResponseDeadline    *time.Time      `json:"response_deadline,omitempty"`
}

// PotentialHelp is an agent that could help, with how well it matches.
type PotentialHelp struct {
	AgentID         string       `json:"agent_id"`
	Agent           string       `json:"agent"` // its name
	Role            string       `json:"role"`
	CapabilityMatch float64      `json:"capability_match"` // 0 to 1
	Availability    Availability `json:"availability"`
}

// RespondToMessageRequest answers a message that the caller received.
type RespondToMessageRequest struct {
	MessageID            string          `json:"message_id" alias:"original_message_id" required:"true" doc:"Id, or its first 8 characters."`
	Text                 string          `json:"text" alias:"response,response_content" required:"true" doc:"1 to 2,000 characters."`
	Status               ResponseStatus  `json:"status,omitempty" enum:"completed,partial,unable,delegated" doc:"Only for a required response."`
	Data                 json.RawMessage `json:"data,omitempty" doc:"For programs." object:"true"`
	AdditionalRecipients Names           `json:"additional_recipients,omitempty" doc:"Who else gets it; if delegated, who answers instead." max:"200"`
	IdempotencyKey       string          `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// RespondToMessageResult is the receipt of an answer.
type RespondToMessageResult struct {
	Answer
	ResponseMessageID string         `json:"response_message_id"`
	OriginalUpdated   bool           `json:"original_message_updated"` // whether the answer changed the status of the original message
	Timestamp         time.Time      `json:"timestamp"`
	MessageID         string         `json:"message_id"` // the same as response_message_id
	Message           string         `json:"message"`    // such as: Message sent to NAME!
	DeliveryStatus    DeliveryStatus `json:"delivery_status"`
	Reply             *Reply         `json:"reply,omitempty"`      // of a responder that was answered, and answered in turn
	ErrorCode         Code           `json:"error_code,omitempty"` // set when success is false
	Action            string         `json:"suggested_action,omitempty"`
}

// Said says what was done.
func (r *RespondToMessageResult) Said() string { return r.Message }

// Failure returns the error code if the sender of the original is terminated, else "".
func (r *RespondToMessageResult) Failure() Code { return r.ErrorCode }

// IgnoreMessageRequest marks a message as read without an answer.
type IgnoreMessageRequest struct {
	MessageID string `json:"message_id" required:"true" doc:"Id, or its first 8 characters."`
	Reason    string `json:"reason,omitempty" doc:"Why, for the log." max:"500"`
}

// IgnoreMessageResult confirms it.
type IgnoreMessageResult struct {
	Answer
	Message string `json:"message"` // Message marked as read
}

// Said says what was done.
func (r *IgnoreMessageResult) Said() string { return r.Message }

// The values of the setting native_messages: what becomes of a message that an agent's program sends to
// another agent with a tool of its own, and not through parley.
const (
	NativeRefuse = "refuse" // it is not sent, and the model learns which tool to use
	NativeRecord = "record" // it is judged as a message of parley's, recorded and sent
	NativeAllow  = "allow"  // parley does not look
)

// NativeMessageRequest describes a message that a program is about to send with a tool of its own.
type NativeMessageRequest struct {
	Tool     string   `json:"tool" required:"true" doc:"The program's own tool." max:"100"`
	To       string   `json:"to" required:"true" doc:"To whom, as the tool has it." max:"4096"`
	Text     string   `json:"text,omitempty" doc:"What it says."`
	Sessions []string `json:"sessions,omitempty" doc:"The ids of the sessions that this may mean." max:"50"`
	PIDs     []int    `json:"pids,omitempty" doc:"The processes of these sessions." max:"50"`
}

// NativeMessageResult says whether the program may send the message.
type NativeMessageResult struct {
	Answer
	Allowed   bool   `json:"allowed"`
	Message   string `json:"message,omitempty"`    // why not, and what to do instead: for the model
	MessageID string `json:"message_id,omitempty"` // under which it is recorded
}
