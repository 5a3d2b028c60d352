package parley

import (
	"time"
	"unicode/utf8"
)

// EventType says what happened.
type EventType string

// The types of event.
const (
	EventDirectMessage EventType = "agent_direct_message"
	EventBroadcast     EventType = "agent_broadcast"
	EventThreadMessage EventType = "agent_thread_message"
	EventThreadCreated EventType = "thread_created"
	EventThreadUpdated EventType = "thread_updated"        // its participants changed; see MembershipStatus
	EventDelivery      EventType = "delivery_updated"      // a delivery changed its state
	EventAgent         EventType = "agent_updated"         // an agent changed its state
	EventCommunication EventType = "communication_updated" // messages were paused or resumed
	EventDialog        EventType = "dialog_answered"       // the operator answered the dialog of an agent
	// the operator types in the terminal of an agent, from elsewhere
	EventTyping EventType = "terminal_typed"
	EventPage   EventType = "page_opened" // a link of the page has become a session, on a device
)

// The states of an EventCommunication.
const (
	CommunicationPaused  = "paused"
	CommunicationResumed = "resumed"
)

// EventStates returns every state that an event may have: those of deliveries, agents
// and threads, and whether communication is paused.
func EventStates() []string {
	var states []string
	for _, state := range DeliveryStates() {
		states = append(states, string(state))
	}
	for _, state := range AgentStates() {
		states = append(states, string(state))
	}
	for _, status := range MembershipStatuses() {
		if status != MemberAlready { // nothing has changed: no event
			states = append(states, string(status))
		}
	}
	return append(states, CommunicationPaused, CommunicationResumed)
}

// PreviewLength is how many characters of a message's text an event shows.
const PreviewLength = 100

// Event is a numbered event. Fields that do not apply to its type are empty.
type Event struct {
	Seq            int64     `json:"seq"`
	Type           EventType `json:"type"`
	Time           time.Time `json:"time"`
	SenderID       string    `json:"sender_agent_id,omitempty"`
	Sender         string    `json:"sender,omitempty"`
	RecipientID    string    `json:"recipient_agent_id,omitempty"`
	Recipient      string    `json:"recipient,omitempty"`
	RecipientCount int       `json:"recipient_count,omitempty"`
	MessageID      string    `json:"message_id,omitempty"`
	Preview        string    `json:"message_preview,omitempty"` // the first PreviewLength characters
	Priority       Priority  `json:"priority,omitempty"`

	Kind             MessageKind `json:"kind,omitempty"`         // of a new message
	MessageType      MessageType `json:"message_type,omitempty"` // of a new message
	RequiresResponse bool        `json:"requires_response,omitempty"`
	InReplyTo        string      `json:"in_reply_to,omitempty"` // of a new message; of a notice what it is about

	AgentID  string `json:"agent_id,omitempty"`
	Agent    string `json:"agent,omitempty"`
	ThreadID string `json:"thread_id,omitempty"`
	Thread   string `json:"thread_title,omitempty"`
	State    string `json:"state,omitempty"`  // one of EventStates
	Detail   string `json:"detail,omitempty"` // the reason or the evidence

	ReasonCode ReasonCode `json:"reason_code,omitempty"` // of a delivery; the detail as a code
}

// Excerpt returns the preview for a person: with an ellipsis, if the text probably goes on.
func (e *Event) Excerpt() string {
	if utf8.RuneCountInString(e.Preview) == PreviewLength {
		return e.Preview + "…"
	}
	return e.Preview
}

// Announces reports whether the event announces a new message, and not what became of
// one.
func (t EventType) Announces() bool {
	switch t {
	case EventDirectMessage, EventBroadcast, EventThreadMessage, EventThreadCreated, EventThreadUpdated:
		return true
	}
	return false
}

// ReadEventsRequest asks for the events after a sequence number.
type ReadEventsRequest struct {
	After       int64 `json:"after,omitempty" doc:"Events with a higher sequence number than this." min:"0"`
	Limit       int   `json:"limit,omitempty" doc:"At most this many." min:"1" max:"1000" default:"100"`
	Last        int   `json:"last,omitempty" doc:"Instead of after: begin with this many of the newest events." min:"0" max:"1000"`
	WaitSeconds int   `json:"wait_seconds,omitempty" doc:"How long to wait if there is none." min:"0" max:"60"`
}

// ReadEventsResult is a page of events, and where the next page begins.
type ReadEventsResult struct {
	Answer
	Events []Event `json:"events"`
	Next   int64   `json:"next"` // the after of the next call
}

// Notice tells a person who is away what needs them. It is the body of a webhook, and what a
// command reads.
type Notice struct {
	Workspace string       `json:"workspace"`
	Host      string       `json:"host"`
	At        time.Time    `json:"at"`
	Title     string       `json:"title"`         // one line
	Text      string       `json:"text"`          // a line for each need, with the command that answers it
	URL       string       `json:"url,omitempty"` // of what it is about, on the page, where the settings name its address
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
	Question  string    `json:"question,omitempty"` // of the dialog that is open
	Options   []string  `json:"options,omitempty"`  // of the dialog, as in "1. Yes"
	URL       string    `json:"url,omitempty"`      // of it on the page

	Answers []NoticeAnswer `json:"-"` // the options that a button of the notice chooses
}

// NoticeAnswer is an option with the one-time code that chooses it. Only the way that shows buttons gets it.
type NoticeAnswer struct{ Label, Code string }

// SendTestNoticeRequest has no parameters.
type SendTestNoticeRequest struct{}

// SendTestNoticeResult says how the test went, way by way.
type SendTestNoticeResult struct {
	Answer
	Ways []NoticeWay `json:"ways"`
}

// NotifyDeviceRequest has what pushManager.subscribe returned in a browser: where its push service takes notices for
// it, and the keys that they are encrypted with. Without them it only asks for the key to subscribe with.
type NotifyDeviceRequest struct {
	Endpoint string `json:"endpoint,omitempty" doc:"The https address at the browser's push service." max:"1000"`
	Public   string `json:"p256dh,omitempty" doc:"The browser's public key, in base64url." max:"200"`
	Secret   string `json:"auth,omitempty" doc:"The secret that it shares with those who push, in base64url." max:"100"`
	Remove   bool   `json:"remove,omitempty" doc:"It is to get none any more."`
}

// Validate checks that it is known which device is meant.
func (r *NotifyDeviceRequest) Validate() error {
	if r.Endpoint == "" && (r.Remove || r.Public != "" || r.Secret != "") {
		return Errorf(InvalidArgument, "the address of the push service is missing").With("parameter", "endpoint").
			Suggest("Give what pushManager.subscribe returned.")
	}
	return nil
}

// NotifyDeviceResult has the key that a browser subscribes with, and how many devices take notices now.
type NotifyDeviceResult struct {
	Answer
	PublicKey string `json:"public_key"` // in base64url
	Devices   int    `json:"devices"`
}

// TeamHistoryRequest asks what the team did in the last hours.
type TeamHistoryRequest struct {
	Hours int `json:"hours,omitempty" doc:"How many hours back." min:"1" max:"168" default:"8"`
}

// TeamHistoryResult is what the team did, in numbers for pictures.
type TeamHistoryResult struct {
	Answer
	Since     time.Time      `json:"since"`
	Until     time.Time      `json:"until"`
	Truncated bool           `json:"truncated"` // there was more: it begins later than was asked for
	Agents    []AgentHistory `json:"agents"`    // by name, those without a state in that time left out
	Pairs     []PairHistory  `json:"pairs"`     // the busiest first
	Answered  []AnsweredAt   `json:"answered"`  // the questions of agents that a person answered, the oldest first
	Shared    []SharedFile   `json:"shared"`    // the newest first
	Used      []AgentHour    `json:"used"`      // the oldest first
}

// AgentHistory is what one agent did.
type AgentHistory struct {
	AgentID string      `json:"agent_id"`
	Agent   string      `json:"agent"`
	Spans   []StateSpan `json:"spans"` // without gaps, except before the first
}

// StateSpan is a time in which an agent had one state.
type StateSpan struct {
	From  time.Time  `json:"from"`
	To    time.Time  `json:"to"`
	State AgentState `json:"state"`
}

// PairHistory counts what one wrote to another.
type PairHistory struct {
	Sender    string `json:"sender"`
	Recipient string `json:"recipient"` // several of them: the thread, or how many agents
	Messages  int    `json:"messages"`
	Held      int    `json:"held"` // of them, how many waited because something held them
}

// AnsweredAt is one question of an agent, and how long it stood open.
type AnsweredAt struct {
	Agent   string    `json:"agent"`
	At      time.Time `json:"at"`      // when it was answered
	Seconds float64   `json:"seconds"` // since the agent showed it
}

// SharedFile is a file that several agents changed before one of them committed or merged it.
type SharedFile struct {
	Name   string    `json:"name"`           // in its repository, or its path if it is in none
	Agents []string  `json:"agents"`         // by name
	Apart  bool      `json:"apart"`          // in worktrees of their own: merging may conflict
	Since  time.Time `json:"since"`          // of two of them
	Until  time.Time `json:"until,omitzero"` // zero: it is still so
}

// AgentHour is what the program of an agent used in an hour.
type AgentHour struct {
	Agent string    `json:"agent"`
	Hour  time.Time `json:"hour"` // when it began
	Spending
}
