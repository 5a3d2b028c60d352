package parley

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// Names is a list of names or ids. On the wire a single one may stand without
// the list around it.
type Names []string

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

// Everyone, as the only recipient, is every other agent.
const Everyone = "ALL"

// SendMessageRequest is a message on its way in.
type SendMessageRequest struct {
	To               Names             `json:"to,omitempty" alias:"recipient,recipient_id,recipient_agent_id,recipient_agent_ids" doc:"Names or ids; [\"ALL\"] is everyone else."`
	Text             string            `json:"text" alias:"message,content" required:"true" doc:"1 to 2,000 characters."`
	ThreadID         string            `json:"thread_id,omitempty" doc:"Instead of to: post to this thread."`
	Type             MessageType       `json:"type,omitempty" alias:"message_type" enum:"information,request,response,coordination" default:"information" doc:"What kind of message."`
	Priority         Priority          `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal" doc:"Urgent goes ahead of what waits."`
	Urgent           bool              `json:"urgent,omitempty" doc:"The same as priority urgent."`
	Data             json.RawMessage   `json:"data,omitempty" doc:"For programs." object:"true"`
	Attachments      []json.RawMessage `json:"attachments,omitempty" doc:"JSON objects." max:"50"`
	RequiresResponse bool              `json:"requires_response,omitempty" doc:"The recipients must answer."`
	ResponseDeadline *time.Time        `json:"response_deadline,omitempty" implies:"requires_response" doc:"By when (RFC 3339)."`
	ContextReference string            `json:"context_reference,omitempty" doc:"What it is about: a ticket, a file." max:"200"`
	InReplyTo        string            `json:"in_reply_to,omitempty" doc:"Id of the message it answers."`
	IdempotencyKey   string            `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds      int               `json:"wait_seconds,omitempty" doc:"Wait so long for the outcome." min:"0" max:"60"`
}

// Validate wants exactly one of to and thread_id. One that is given and empty counts
// as not given beside the other.
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

// SendMessageResult is the receipt: what is stored, and what is proven so far.
type SendMessageResult struct {
	Answer
	MessageID      string         `json:"message_id"`
	ConversationID string         `json:"conversation_id"`
	Timestamp      time.Time      `json:"timestamp"`
	Status         string         `json:"status"`  // Message sent to NAME!
	Message        string         `json:"message"` // Message sent to agent ID8
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Object         *Message       `json:"message_object"`
	Reply          *Reply         `json:"reply,omitempty"`      // of a responder
	ErrorCode      Code           `json:"error_code,omitempty"` // set when success is false
	Action         string         `json:"suggested_action,omitempty"`
}

// Failure returns the code of an answer that tells of a failure: a single
// recipient that is terminated. It is "" otherwise.
func (r *SendMessageResult) Failure() Code { return r.ErrorCode }

// BroadcastMessageRequest is a message for many.
type BroadcastMessageRequest struct {
	Text           string   `json:"text" alias:"message,content" required:"true" doc:"1 to 2,000 characters."`
	Recipients     *Names   `json:"recipients,omitempty" alias:"recipient_ids" doc:"Names or ids; every other agent if left out."`
	Group          string   `json:"group,omitempty" doc:"Only the members of this group." filled:"true"`
	Urgent         bool     `json:"urgent,omitempty" doc:"The same as priority urgent."`
	Priority       Priority `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal" doc:"Urgent goes ahead of what waits."`
	IdempotencyKey string   `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
	WaitSeconds    int      `json:"wait_seconds,omitempty" doc:"Wait so long for the outcome." min:"0" max:"60"`
}

// Validate refuses an empty list: it must never come to mean everyone.
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
	Message        string         `json:"message"` // Message broadcast to N agent(s)
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Object         *Message       `json:"message_object"`
}

// CheckInboxRequest asks what has come, without marking it read.
type CheckInboxRequest struct {
	Limit       int    `json:"limit,omitempty" doc:"How many at most." min:"1" max:"50" default:"20"`
	Sender      string `json:"filter_by_sender,omitempty" alias:"sender" doc:"Only from this agent."`
	IncludeRead bool   `json:"include_read,omitempty" doc:"Those already read, too."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"If there is none, wait so long for one." min:"0" max:"60"`
}

// InboxMessage is a message as seed 000 shows one.
type InboxMessage struct {
	MessageID      string    `json:"message_id"`
	Sender         string    `json:"sender"`
	Content        string    `json:"content"`
	Timestamp      time.Time `json:"timestamp"`
	Read           bool      `json:"read"`
	ConversationID string    `json:"conversation_id"`
	Priority       Priority  `json:"priority,omitempty"`
	InReplyTo      string    `json:"in_reply_to,omitempty"`

	ResponseDeadline *time.Time     `json:"response_deadline,omitempty"` // set when a response is required
	ResponseStatus   ResponseStatus `json:"response_status,omitempty"`
	ThreadID         string         `json:"thread_id,omitempty"`

	Archived bool `json:"archived"` // its recipient has answered or ignored it
}

// CheckInboxResult lists messages, oldest first.
type CheckInboxResult struct {
	Answer
	UnreadCount int            `json:"unread_count"`
	TotalCount  int            `json:"total_count"`
	CheckedAt   time.Time      `json:"checked_at"`
	Messages    []InboxMessage `json:"messages"`
}

// MessageFilters narrows GetMessages.
type MessageFilters struct {
	MessageTypes     []MessageType `json:"message_types,omitempty"`
	Senders          []string      `json:"senders,omitempty"`
	Priority         Priority      `json:"priority,omitempty"`
	UnreadOnly       bool          `json:"unread_only,omitempty"`
	Since            *time.Time    `json:"since_timestamp,omitempty"`
	ContextReference string        `json:"context_reference,omitempty"`
	Before           string        `json:"before,omitempty"` // of a thread: only before this post, to page back; the counts are of all
}

// GetMessagesRequest asks for the caller's messages. A call with filters or
// sort_order has the contract's defaults (50, nothing marked read), any other
// those of seed 002 (10, newest first, marked read); mark_read overrides.
type GetMessagesRequest struct {
	ThreadID  string          `json:"thread_id,omitempty" doc:"Only this thread's posts."`
	Limit     int             `json:"limit,omitempty" doc:"10, or 50 with filters or sort_order." min:"1" max:"100"`
	Since     *time.Time      `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	SortOrder string          `json:"sort_order,omitempty" enum:"newest_first,oldest_first" doc:"Else newest first."`
	MarkRead  *bool           `json:"mark_read,omitempty" doc:"yes unless filters or sort_order are given."`
	Filters   *MessageFilters `json:"filters,omitempty" doc:"Which of them."`
}

// Validate checks the filters' values and settles the defaults.
func (r *GetMessagesRequest) Validate() error {
	contract := r.Filters != nil || r.SortOrder != ""
	if r.Limit == 0 {
		r.Limit = 10
		if contract {
			r.Limit = 50
		}
	}

	if r.SortOrder == "" {
		r.SortOrder = "newest_first"
	}

	if r.MarkRead == nil {
		mark := !contract
		r.MarkRead = &mark
	}

	if r.Filters == nil {
		r.Filters = &MessageFilters{}
	}

	if r.Filters.Before != "" && r.ThreadID == "" {
		return Errorf(InvalidArgument, "filters.before was given without thread_id").With("parameter", "filters").
			Suggest("Give thread_id too: only the posts of a thread are paged so.")
	}

	for _, t := range r.Filters.MessageTypes {
		if err := oneOf("filters.message_types", string(t), enumOf[SendMessageRequest]("type")); err != nil {
			return err
		}
	}

	if r.Filters.Priority != "" {
		return oneOf("filters.priority", string(r.Filters.Priority), enumOf[SendMessageRequest]("priority"))
	}

	return nil
}

// Content is the contract's body of a message.
type Content struct {
	Text        string            `json:"text"`
	Data        json.RawMessage   `json:"data"` // an object; {} without one
	Attachments []json.RawMessage `json:"attachments"`
}

// MarshalJSON writes data and attachments also where there are none, as those
// who read the contract's messages expect.
func (c Content) MarshalJSON() ([]byte, error) {
	type plain Content
	if len(c.Data) == 0 {
		c.Data = json.RawMessage("{}")
	}
	if c.Attachments == nil {
		c.Attachments = []json.RawMessage{}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // whether to escape is for the one that writes the whole to say
	err := e.Encode(plain(c))
	return bytes.TrimSpace(b.Bytes()), err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Content) UnmarshalJSON(b []byte) error {
	type plain Content
	if err := json.Unmarshal(b, (*plain)(c)); err != nil {
		return err
	}
	if string(c.Data) == "{}" {
		c.Data = nil
	}
	return nil
}

// ContractMessage is a message as seed 004 shows one.
type ContractMessage struct {
	MessageID        string         `json:"message_id"`
	SenderAgentID    string         `json:"sender_agent_id"`
	SenderName       string         `json:"sender"`
	SenderRole       string         `json:"sender_role"`
	MessageType      MessageType    `json:"message_type"`
	Content          Content        `json:"content"`
	Priority         Priority       `json:"priority"`
	Timestamp        time.Time      `json:"timestamp"`
	ReadStatus       bool           `json:"read_status"` // as it was before this call
	RequiresResponse bool           `json:"requires_response"`
	ResponseDeadline *time.Time     `json:"response_deadline,omitempty"`
	ConversationID   string         `json:"conversation_id"`
	ContextReference string         `json:"context_reference"`
	InReplyTo        string         `json:"in_reply_to,omitempty"`
	ResponseStatus   ResponseStatus `json:"response_status,omitempty"`
	ThreadID         string         `json:"thread_id,omitempty"`
}

// GetMessagesResult lists messages; the counts are under the same filters.
type GetMessagesResult struct {
	Answer
	Messages    []ContractMessage `json:"messages"`
	TotalCount  int               `json:"total_count"`
	UnreadCount int               `json:"unread_count"`
}

// MarkMessageReadRequest names messages that the caller has read.
type MarkMessageReadRequest struct {
	MessageIDs Names `json:"message_ids" alias:"message_id" required:"true" doc:"Ids of the messages."`
}

// MarkMessageReadResult sorts the ids by what became of them.
type MarkMessageReadResult struct {
	Answer
	MarkedRead  []string `json:"marked_read"`
	NotFound    []string `json:"not_found"`
	AlreadyRead []string `json:"already_read"`
}

// MessageStatusRequest names a message, by its id or the first eight or more
// characters of it.
type MessageStatusRequest struct {
	MessageID   string `json:"message_id" required:"true" doc:"Id, or its first eight characters."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"Wait so long for the outcome." min:"0" max:"60"`
}

// MessageStatusResult is a message and every delivery of it.
type MessageStatusResult struct {
	Answer
	Object         *Message       `json:"message_object"`
	DeliveryStatus DeliveryStatus `json:"delivery_status"`
	Deliveries     []Delivery     `json:"deliveries"`
	Responses      []Debt         `json:"responses,omitempty"` // the required ones
}

// HistoryRequest names the other side of a conversation.
type HistoryRequest struct {
	With   string `json:"conversation_with" alias:"with" required:"true" doc:"Name or id."`
	Limit  int    `json:"limit,omitempty" doc:"How many at most." min:"1" max:"100" default:"50"`
	Before string `json:"before,omitempty" doc:"Only before this message id, to page back."`
}

// HistoryResult is a page of a conversation, oldest first within it.
type HistoryResult struct {
	Answer
	ConversationID string         `json:"conversation_id"`
	WithAgent      string         `json:"with_agent"`
	Messages       []InboxMessage `json:"messages"`
	HasMore        bool           `json:"has_more"`
	TotalMessages  int            `json:"total_messages"`

	Participants  []string           `json:"participants"` // the names of both
	CreatedAt     *time.Time         `json:"created_at,omitempty"`
	LastMessageAt *time.Time         `json:"last_message_at,omitempty"`
	Status        ConversationStatus `json:"status"`
}
