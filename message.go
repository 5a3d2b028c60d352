package parley

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// MessageKind says by which road a message goes.
type MessageKind string

// The kinds of message.
const (
	KindDirect    MessageKind = "direct"
	KindBroadcast MessageKind = "broadcast"
	KindThread    MessageKind = "thread"
	KindSteering  MessageKind = "steering" // guidance; its data says of what kind
	KindNotice    MessageKind = "system"   // a word of parley's own
)

// MessageType is the contract's word for what a message is.
type MessageType string

// The types of message.
const (
	TypeInformation  MessageType = "information"
	TypeRequest      MessageType = "request"
	TypeResponse     MessageType = "response"
	TypeCoordination MessageType = "coordination"
)

// Priority says how soon a message wants to be delivered. An urgent one goes
// ahead of those that wait for the same agent.
type Priority string

// The priorities.
const (
	PriorityLow    Priority = "low"
	PriorityNormal Priority = "normal"
	PriorityHigh   Priority = "high"
	PriorityUrgent Priority = "urgent"
)

// Message is what one agent said.
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

	ThreadID         string            `json:"thread_id,omitempty"` // where it was posted; "" for none
	ThreadTitle      string            `json:"thread_title,omitempty"`
	Attachments      []json.RawMessage `json:"attachments,omitempty"`
	RequiresResponse bool              `json:"requires_response,omitempty"`
	ResponseDeadline *time.Time        `json:"response_deadline,omitempty"` // set when a response is required
	ResponseStatus   ResponseStatus    `json:"response_status,omitempty"`   // of a formal response

	ChainID string `json:"chain_id,omitempty"` // the message that began what this one follows from
	Hop     int    `json:"hop"`                // how many messages of agents lead here from it
}

// Guidance is the data of a steering message.
type Guidance struct {
	Kind string `json:"guidance"` // in capitals, such as STUCK
}

// DeliveryState is a rung of the ladder: the furthest that is proven.
type DeliveryState string

// The ladder: queued → (held) → typing → submitted → read → answered, or an end
// that is not delivery.
const (
	DeliveryQueued      DeliveryState = "queued"
	DeliveryHeld        DeliveryState = "held"
	DeliveryTyping      DeliveryState = "typing"
	DeliverySubmitted   DeliveryState = "submitted"
	DeliveryRead        DeliveryState = "read"
	DeliveryAnswered    DeliveryState = "answered" // its recipient replied to its sender
	DeliveryFailed      DeliveryState = "failed"
	DeliveryUnconfirmed DeliveryState = "unconfirmed" // typing began; its outcome could not be proven
	DeliveryExpired     DeliveryState = "expired"
)

// Delivered reports whether the message provably reached its recipient.
func (s DeliveryState) Delivered() bool { return s == DeliverySubmitted || s.Read() }

// Read reports whether the recipient provably has the whole message.
func (s DeliveryState) Read() bool { return s == DeliveryRead || s == DeliveryAnswered }

// Failed reports whether the message will not reach its recipient.
func (s DeliveryState) Failed() bool { return s == DeliveryFailed || s == DeliveryExpired }

// Settled reports whether parley does nothing further by itself.
func (s DeliveryState) Settled() bool {
	return s.Delivered() || s.Failed() || s == DeliveryUnconfirmed
}

// Step is a rung that was reached, when, and how that is known.
type Step struct {
	State    DeliveryState `json:"state"`
	At       time.Time     `json:"at"`
	Evidence string        `json:"evidence,omitempty"`
	// Code is the evidence as a code: what holds it, how it ended, or what proves it.
	Code ReasonCode `json:"code,omitempty"`
	// TurnStarted is when the agent itself says that its work upon the message began.
	TurnStarted *time.Time `json:"turn_started,omitempty"`
}

// Delivery is one message's way to one recipient.
type Delivery struct {
	MessageID      string        `json:"message_id"`
	RecipientID    string        `json:"agent_id"`
	Recipient      string        `json:"agent"` // its name
	ConversationID string        `json:"conversation_id"`
	State          DeliveryState `json:"state"`
	Reason         string        `json:"reason,omitempty"` // why it is not further
	ReasonCode     ReasonCode    `json:"reason_code,omitempty"`
	Steps          []Step        `json:"steps,omitempty"`

	ReadAt     *time.Time `json:"read_at,omitempty"`
	AnsweredAt *time.Time `json:"answered_at,omitempty"`
	AnsweredBy string     `json:"answered_by,omitempty"` // the id of the recipient's first reply
	Hold       *Hold      `json:"hold,omitempty"`        // while it is held

	Decision *ConversationDecision `json:"decision,omitempty"` // why a responder answers a thread's post, or does not
}

// TurnStarted returns when the recipient's program began to work upon the message,
// by its own report; the zero time when it has not said so.
func (d *Delivery) TurnStarted() time.Time {
	for _, step := range d.Steps {
		if step.TurnStarted != nil {
			return *step.TurnStarted
		}
	}
	return time.Time{}
}

// DeliveryStatus sums up the deliveries of a message by agent id: stored with
// or submitted to, given up, and still on their way.
type DeliveryStatus struct {
	DeliveredTo     []string `json:"delivered_to"`
	FailedDelivery  []string `json:"failed_delivery"`
	PendingDelivery []string `json:"pending_delivery"`
	// PendingReasons says why they wait, where that is known.
	PendingReasons map[string]string `json:"pending_reasons,omitempty"`
}

// SumUp returns the status of deliveries, each in one of the three lists.
func SumUp(deliveries []Delivery) DeliveryStatus {
	s := DeliveryStatus{DeliveredTo: []string{}, FailedDelivery: []string{}, PendingDelivery: []string{}}
	for _, d := range deliveries {
		switch {
		case d.State.Delivered():
			s.DeliveredTo = append(s.DeliveredTo, d.RecipientID)
		case d.State.Failed():
			s.FailedDelivery = append(s.FailedDelivery, d.RecipientID)
		default:
			s.PendingDelivery = append(s.PendingDelivery, d.RecipientID)
			if d.Reason == "" {
				continue
			}
			if s.PendingReasons == nil {
				s.PendingReasons = map[string]string{}
			}
			s.PendingReasons[d.RecipientID] = d.Reason
		}
	}

	return s
}

// conversationSpace makes the ids of conversations: any fixed UUID does.
var conversationSpace = uuid.MustParse("8f6f1c1e-5a0b-4b57-9d5a-0c2e7b6f4d21")

// ConversationID names what two agents say to each other; the order of the two
// does not matter.
func ConversationID(a, b string) string {
	if b < a {
		a, b = b, a
	}
	return uuid.NewSHA1(conversationSpace, []byte(a+b)).String()
}
