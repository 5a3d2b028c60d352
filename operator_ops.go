package parley

import "time"

// RetryDeliveryRequest names a message whose delivery is to be tried again.
type RetryDeliveryRequest struct {
	MessageID   string `json:"message_id" required:"true" doc:"The message's id, or its first eight characters."`
	Recipient   string `json:"recipient,omitempty" alias:"agent" doc:"Name or id of one recipient; all whose delivery can be tried again if left out."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"Wait this long for the delivery's outcome before answering." min:"0" max:"60"`
}

// RetryDeliveryResult says whose delivery begins again, and where each stands.
type RetryDeliveryResult struct {
	Answer
	MessageID      string         `json:"message_id"`
	Retried        []string       `json:"retried"` // ids of those whose delivery was queued again
	Message        string         `json:"message"` // what was done, in a sentence
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Reply          *Reply         `json:"reply,omitempty"` // of a responder that was asked again
}

// ExplainMessageRequest names the message to tell about.
type ExplainMessageRequest struct {
	MessageID string `json:"message_id" required:"true" doc:"The message's id, or its first eight characters."`
}

// ExplainMessageResult is a message's whole story in plain words.
type ExplainMessageResult struct {
	Answer
	MessageID  string          `json:"message_id"`
	Summary    string          `json:"summary"` // who sent what to whom, and when
	Deliveries []DeliveryStory `json:"deliveries"`
	Story      []string        `json:"story"` // all of it, as lines
	Object     *Message        `json:"message_object"`
}

// DeliveryStory is what became of a message with one recipient.
type DeliveryStory struct {
	AgentID string        `json:"agent_id"`
	Agent   string        `json:"agent"`
	State   DeliveryState `json:"state"`
	Rungs   []RungStory   `json:"rungs"`
	Outlook []string      `json:"outlook"` // what holds now, and what to do if anything is
}

// RungStory is a rung that was reached and how that is known.
type RungStory struct {
	State   DeliveryState `json:"state"`
	At      time.Time     `json:"at"`
	Seconds float64       `json:"seconds"` // since the message was accepted
	Text    string        `json:"text"`
}

// PauseCommunicationRequest pauses the team's messages or lets them go on.
type PauseCommunicationRequest struct {
	Paused bool   `json:"paused" required:"true" doc:"true: no message is accepted or typed any more; false: they go on."`
	Reason string `json:"reason,omitempty" doc:"Why, for those whose messages are refused." max:"200"`
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
