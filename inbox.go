package parley

import (
	"bytes"
	"encoding/json"
	"time"
)

// CheckInboxRequest asks what has come, without marking it read.
type CheckInboxRequest struct {
	Limit       int    `json:"limit,omitempty" doc:"At most this many." min:"1" max:"50" default:"20"`
	Sender      string `json:"filter_by_sender,omitempty" alias:"sender" doc:"Only from this agent."`
	IncludeRead bool   `json:"include_read,omitempty" doc:"Read ones, too."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"How long to wait if there is none." min:"0" max:"60"`
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
	SortOrder string          `json:"sort_order,omitempty" enum:"newest_first,oldest_first" doc:"newest_first by default."`
	MarkRead  *bool           `json:"mark_read,omitempty" doc:"yes unless filters or sort_order are given."`
	Filters   *MessageFilters `json:"filters,omitempty" doc:"Only messages that match."`
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

// CheckNewMessagesRequest asks whether something waits to be read.
type CheckNewMessagesRequest struct{}

// NewMessage is an unread message in short.
type NewMessage struct {
	MessageID string   `json:"message_id"`
	Sender    string   `json:"sender"`
	Priority  Priority `json:"priority"`
	Preview   string   `json:"preview"` // 100 characters at most
}

// CheckNewMessagesResult counts the unread and shows the most urgent few; of the same
// priority the newest come first.
type CheckNewMessagesResult struct {
	Answer
	UnreadCount int          `json:"unread_count"`
	Message     string       `json:"message"` // You have N unread message(s).
	Messages    []NewMessage `json:"messages"`
}

// HistoryRequest names the other side of a conversation.
type HistoryRequest struct {
	With   string `json:"conversation_with" alias:"with" required:"true" doc:"Name or id."`
	Limit  int    `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"50"`
	Before string `json:"before,omitempty" doc:"Only messages before this id, to page back."`
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

// SearchMessagesRequest says what to look for. All words must occur; case and accents
// do not matter, and words in double quotes must stand together.
type SearchMessagesRequest struct {
	Query string     `json:"query" alias:"q,text" required:"true" doc:"Words that must all occur, or \"a phrase\"." max:"200"`
	From  string     `json:"from,omitempty" alias:"sender,filter_by_sender" doc:"Only from this agent."`
	To    string     `json:"to,omitempty" alias:"recipient" doc:"Only to this agent."`
	Since *time.Time `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	Until *time.Time `json:"until,omitempty" doc:"Only up to this time."`
	Limit int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"20"`
}

// Validate refuses a span of time that ends before it begins.
func (r *SearchMessagesRequest) Validate() error {
	if r.Since != nil && r.Until != nil && r.Until.Before(*r.Since) {
		return Errorf(InvalidArgument, "until is before since").With("parameter", "until").
			Suggest("Give a time in until that comes after the one in since.")
	}
	return nil
}

// FoundMessage is a message as the contract shows one, to whom it went, and the part
// of its text where the words are. read_status is false only while the caller has
// not read what came for it.
type FoundMessage struct {
	ContractMessage
	RecipientIDs   []string `json:"recipient_agent_ids"` // the first twenty
	RecipientCount int      `json:"recipient_count"`
	Snippet        string   `json:"snippet"`
}

// SearchMessagesResult lists what was found, newest first.
type SearchMessagesResult struct {
	Answer
	Messages []FoundMessage `json:"messages"`
	HasMore  bool           `json:"has_more"`
	// Truncated says that only messages since SearchedSince were looked at; the same
	// search with that time as until goes on.
	Truncated     bool       `json:"truncated"`
	SearchedSince *time.Time `json:"searched_since,omitempty"`
}

// ExportMessagesRequest asks for whole messages, oldest first: all of them, those of two
// agents, or a thread's.
type ExportMessagesRequest struct {
	Between  Names      `json:"between,omitempty" doc:"Two names or ids: only their messages to each other." max:"2"`
	ThreadID string     `json:"thread_id,omitempty" doc:"Only this thread."`
	Since    *time.Time `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	After    int64      `json:"after,omitempty" doc:"The next of the previous page." min:"0"`
	Limit    int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"500" default:"100"`
}

// Validate wants one conversation at most, and two agents in it.
func (r *ExportMessagesRequest) Validate() error {
	switch {
	case len(r.Between) > 0 && r.ThreadID != "":
		return Errorf(InvalidArgument, "between and thread_id were both given").With("parameter", "thread_id").
			Suggest("Give one of the two, or neither for everything.")
	case len(r.Between) == 1:
		return Errorf(InvalidArgument, "between names one agent").With("parameter", "between").
			Suggest("Name both who talked to each other.")
	}
	return nil
}

// ExportedMessage is a message and every delivery of it, with its steps.
type ExportedMessage struct {
	Message
	Deliveries []Delivery `json:"deliveries"`
}

// ExportMessagesResult is a page of messages, and where the next one begins. A page may
// have fewer than were asked for while there are more.
type ExportMessagesResult struct {
	Answer
	Messages   []ExportedMessage `json:"messages"`
	Next       int64             `json:"next"` // the after of the next call
	HasMore    bool              `json:"has_more"`
	TotalCount int               `json:"total_count,omitempty"` // in the first page: of all that were asked for
	Between    []string          `json:"between,omitempty"`     // the names of the two
	Thread     *Thread           `json:"thread,omitempty"`
}
