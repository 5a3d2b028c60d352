package parley

import (
	"fmt"
	"strings"
	"time"

	"parley/plain"
)

// DeliveryState is the furthest step of a delivery that is proven.
type DeliveryState string

// The states: queued → (held) → typing → submitted → read → answered, or an end without
// a proven delivery.
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

// DeliveryStates returns every state of a delivery.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{
		DeliveryQueued, DeliveryHeld, DeliveryTyping, DeliverySubmitted, DeliveryRead, DeliveryAnswered,
		DeliveryFailed, DeliveryUnconfirmed, DeliveryExpired,
	}
}

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

// Step is a state that a delivery reached, with the evidence.
type Step struct {
	State    DeliveryState `json:"state"`
	At       time.Time     `json:"at"`
	Evidence string        `json:"evidence,omitempty"`
	// Code is the evidence as a code: what holds it, how it ended, or what proves it.
	Code ReasonCode `json:"code,omitempty"`
	// TurnStarted is when the agent's own program reported that it began to work on the
	// message.
	TurnStarted *time.Time `json:"turn_started,omitempty"`
}

// Delivery is the fate of one message for one recipient. It climbs a ladder: queued, perhaps held, typing, submitted,
// read, answered. Or it ends as failed, expired (it waited for too long) or unconfirmed. A message to a mailbox, a
// responder or a human begins at submitted, since storing it delivers it.
//
// Every rung has a time and the evidence for it in Steps, in words and as a code. Nothing is claimed that was not
// seen: submitted means that the program has the text, by the proof that Steps names. An unconfirmed delivery was
// typed, and its outcome could not be proven; parley does not type it again by itself, but the operator may retry it.
//
// While it waits, ReasonCode says what is in the way now and WaitsCode what that comes from in the end. Only the
// courier of the recipient's terminal moves a delivery on, on the host where that terminal is. The sender, the
// recipient and the operator may read it. docs/delivery.md has the ladder, the proofs and the codes.
type Delivery struct {
	MessageID      string        `json:"message_id"`
	RecipientID    string        `json:"agent_id"`
	Recipient      string        `json:"agent"` // its name
	ConversationID string        `json:"conversation_id"`
	State          DeliveryState `json:"state"`
	Reason         string        `json:"reason,omitempty"` // why it is not further; ReasonCode as words
	ReasonCode     ReasonCode    `json:"reason_code,omitempty"`
	Steps          []Step        `json:"steps,omitempty"`

	ReadAt     *time.Time `json:"read_at,omitempty"`
	AnsweredAt *time.Time `json:"answered_at,omitempty"`
	AnsweredBy string     `json:"answered_by,omitempty"` // the id of the recipient's first reply
	WaitsFor   string     `json:"waits_for,omitempty"`   // the root cause in words, of one that waits for a terminal
	WaitsCode  ReasonCode `json:"waits_code,omitempty"`  // the root cause as a code
	Hold       *Hold      `json:"hold,omitempty"`        // while the conversation protocol holds it

	Decision *ConversationDecision `json:"decision,omitempty"` // why a responder answers a thread's post, or not
}

// TurnStarted returns when the recipient's program reported that it began to work on the
// message, and the zero time if it did not.
func (d *Delivery) TurnStarted() time.Time {
	for _, step := range d.Steps {
		if step.TurnStarted != nil {
			return *step.TurnStarted
		}
	}
	return time.Time{}
}

// Warning returns what the sender should know of a delivery although it succeeded: that its text was only announced,
// or that a budget of the conversation is spent, which holds nothing from a mailbox. "": nothing.
func (d *Delivery) Warning() string {
	if d.ReasonCode == ProofAnnounced {
		return d.Reason
	}
	for _, step := range d.Steps {
		if step.Code == ProofOverBudget {
			return step.Evidence
		}
	}
	return ""
}

// DeliveryStatus sums up the deliveries of a message by agent id: delivered, failed, and
// still on their way.
type DeliveryStatus struct {
	DeliveredTo     []string `json:"delivered_to"`
	FailedDelivery  []string `json:"failed_delivery"`
	PendingDelivery []string `json:"pending_delivery"`
	// PendingReasons says why deliveries wait, where that is known.
	PendingReasons map[string]string `json:"pending_reasons,omitempty"`
	// PendingCodes says the same as codes.
	PendingCodes map[string]ReasonCode `json:"pending_reason_codes,omitempty"`
	// Warnings has what the sender should know of deliveries that succeeded.
	Warnings map[string]string `json:"warnings,omitempty"`
}

// SumUp returns the status of deliveries, each in one of the three lists.
func SumUp(deliveries []Delivery) DeliveryStatus {
	s := DeliveryStatus{DeliveredTo: []string{}, FailedDelivery: []string{}, PendingDelivery: []string{}}
	for i := range deliveries {
		d := &deliveries[i]
		switch {
		case d.State.Delivered():
			s.DeliveredTo = append(s.DeliveredTo, d.RecipientID)
			s.warn(d)
		case d.State.Failed():
			s.FailedDelivery = append(s.FailedDelivery, d.RecipientID)
		default:
			s.addPending(d)
		}
	}
	return s
}

func (s *DeliveryStatus) warn(d *Delivery) {
	warning := d.Warning()
	if warning == "" {
		return
	}
	if s.Warnings == nil {
		s.Warnings = map[string]string{}
	}
	s.Warnings[d.RecipientID] = warning
}

// addPending adds a delivery that is on its way, with what is known of why it waits.
func (s *DeliveryStatus) addPending(d *Delivery) {
	s.PendingDelivery = append(s.PendingDelivery, d.RecipientID)
	if d.Reason != "" {
		if s.PendingReasons == nil {
			s.PendingReasons = map[string]string{}
		}
		s.PendingReasons[d.RecipientID] = d.pendingReason()
	}
	if d.ReasonCode != "" {
		if s.PendingCodes == nil {
			s.PendingCodes = map[string]ReasonCode{}
		}
		s.PendingCodes[d.RecipientID] = d.ReasonCode
	}
}

// pendingReason returns the reason of a delivery that waits. Callers of the API find the
// hold of the conversation protocol by the code in front of it.
func (d *Delivery) pendingReason() string {
	if d.ReasonCode == HoldConversation {
		return string(ConversationHeld) + ": " + d.Reason
	}
	return d.Reason
}

// ResponseStatus is the status of a required response.
type ResponseStatus string

// The statuses of a required response.
const (
	ResponseOpen      ResponseStatus = "open"      // no response yet
	ResponseCompleted ResponseStatus = "completed" // answered
	ResponsePartial   ResponseStatus = "partial"   // answered in part; the rest is still owed
	ResponseUnable    ResponseStatus = "unable"    // it will not be answered
	ResponseDelegated ResponseStatus = "delegated" // others answer instead
)

// Owed reports whether the response is still to come.
func (s ResponseStatus) Owed() bool { return s == ResponseOpen || s == ResponsePartial }

// Debt is a required response that a recipient owes, or has given.
type Debt struct {
	MessageID      string         `json:"message_id"`
	DebtorID       string         `json:"agent_id"`
	Debtor         string         `json:"agent"` // its name
	State          ResponseStatus `json:"state"`
	DueAt          time.Time      `json:"due_at"`
	AnsweredBy     string         `json:"answered_by,omitempty"` // the id of the last response
	AnsweredAt     *time.Time     `json:"answered_at,omitempty"`
	Late           bool           `json:"late,omitempty"`
	RemindedAt     *time.Time     `json:"reminded_at,omitempty"`
	SenderToldAt   *time.Time     `json:"sender_told_at,omitempty"`
	OperatorToldAt *time.Time     `json:"operator_told_at,omitempty"`
}

// MessageStatusRequest names a message by its id, or by the id's first eight or more characters.
type MessageStatusRequest struct {
	MessageID   string `json:"message_id" required:"true" doc:"Id, or its first 8 characters."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"How long to wait for the outcome." min:"0" max:"60"`
	All         bool   `json:"all,omitempty" doc:"Over MCP: every delivery of many, not only counts and exceptions."`
}

// MessageStatusResult is a message with its deliveries and required responses.
type MessageStatusResult struct {
	Answer
	Object         *Message       `json:"message_object"`
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Responses      []Debt         `json:"responses,omitempty"` // the required responses
}

// WhoisRequest names a message by its id.
type WhoisRequest struct {
	MessageID string `json:"message_id" required:"true" doc:"Id, or its first 8 characters."`
}

// WhoisResult says who sent a message.
type WhoisResult struct {
	Answer
	MessageID string      `json:"message_id"`
	Kind      MessageKind `json:"kind"`
	SenderID  string      `json:"sender_id"`
	Sender    string      `json:"sender"`
	Timestamp time.Time   `json:"timestamp"`
	Message   string      `json:"message"` // the same in a sentence, with the beginning of the text
}

// RetryDeliveryRequest names a message to deliver again.
type RetryDeliveryRequest struct {
	MessageID   string `json:"message_id" required:"true" doc:"The message's id, or its first 8 characters."`
	Recipient   string `json:"recipient,omitempty" alias:"agent" doc:"Name or id of one recipient; by default all whose delivery can be retried."`
	Draft       string `json:"draft,omitempty" doc:"The exact text in the recipient's composer, if no person typed it: the message is typed anyway, while that text is there."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"How long to wait for the outcome." min:"0" max:"60"`
}

// Validate checks that a text that is no draft is that of one recipient.
func (r *RetryDeliveryRequest) Validate() error {
	if r.Draft != "" && r.Recipient == "" {
		return Errorf(InvalidArgument, "a draft is that of one recipient").With("parameter", "recipient").
			Suggest("Name the recipient in whose composer it stands.")
	}
	return nil
}

// RetryDeliveryResult lists the deliveries, and which of them begin again.
type RetryDeliveryResult struct {
	Answer
	MessageID      string         `json:"message_id"`
	Retried        []string       `json:"retried"` // ids of the agents whose delivery was queued again
	Message        string         `json:"message"` // what was done, in a sentence
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Reply          *Reply         `json:"reply,omitempty"` // of a responder that was asked again
}

// Said says what was done.
func (r *RetryDeliveryResult) Said() string { return r.Message }

// ExplainMessageRequest names a message to explain.
type ExplainMessageRequest struct {
	MessageID string `json:"message_id" required:"true" doc:"The message's id, or its first 8 characters."`
}

// ExplainMessageResult tells the story of a message in plain words.
type ExplainMessageResult struct {
	Answer
	MessageID  string          `json:"message_id"`
	Summary    string          `json:"summary"` // who sent what to whom, and when
	Deliveries []DeliveryStory `json:"deliveries"`
	Story      []string        `json:"story"` // summary and deliveries, as lines
	Object     *Message        `json:"message_object"`
}

// DeliveryStory tells the story of one delivery.
type DeliveryStory struct {
	AgentID string        `json:"agent_id"`
	Agent   string        `json:"agent"`
	State   DeliveryState `json:"state"`
	Rungs   []RungStory   `json:"rungs"`
	Outlook []string      `json:"outlook"` // what happens next, and what to do, if anything
}

// RungStory tells one step of a delivery.
type RungStory struct {
	State   DeliveryState `json:"state"`
	At      time.Time     `json:"at"`
	Seconds float64       `json:"seconds"` // since the message was accepted
	Text    string        `json:"text"`
}

// Waiting is what keeps a message to an agent's terminal: the root cause, which may be that of another
// message which goes first.
type Waiting struct {
	Agent  string     // its name; "" where it is clear which one is meant
	Ahead  int        // messages that go to the agent first
	Code   ReasonCode // why the first of all waits; "" while it is in hand
	Reason string     // the same in words
	Since  time.Time  // since when that lasts
	Until  time.Time  // when it ends, zero if that is not known
}

// Sentence says it for people, such as "queued behind 4: coder has had a question open for 20 min".
func (w Waiting) Sentence(now time.Time) string {
	cause := w.cause(now)
	if w.Ahead == 0 {
		return cause
	}
	return fmt.Sprintf("queued behind %d: %s", w.Ahead, cause)
}

func (w Waiting) cause(now time.Time) string {
	who, whose := w.Agent, w.Agent+"'s"
	if who == "" {
		who, whose = "it", "its"
	}

	words := reasons[w.Code].lasting
	switch {
	case w.Code == "":
		return who + " is getting one now"
	case words != "":
		words = strings.NewReplacer("%s's", whose, "%s", who).Replace(words) + " for " +
			plain.FormatDuration(now.Sub(w.Since))
		if !w.Until.IsZero() {
			words += ", until " + plain.FormatEnd(w.Until)
		}
		return words
	case w.Agent == "":
		return w.Reason
	}

	return w.Agent + ": " + w.Reason
}

// DeliveryGroup returns the states that one word means in a filter: pending, waiting, delivered or problem.
func DeliveryGroup(word string) (states []DeliveryState, ok bool) {
	switch word {
	case "pending":
		return []DeliveryState{DeliveryQueued, DeliveryTyping}, true
	case "waiting":
		return []DeliveryState{DeliveryQueued, DeliveryTyping, DeliveryHeld}, true
	case "delivered":
		return []DeliveryState{DeliverySubmitted, DeliveryRead, DeliveryAnswered}, true
	case "problem":
		return []DeliveryState{DeliveryFailed, DeliveryUnconfirmed, DeliveryExpired}, true
	}
	return nil, false
}
