package parley

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/plain"
)

// CheckInboxRequest asks for the caller's inbox. It marks nothing as read.
type CheckInboxRequest struct {
	Limit       int    `json:"limit,omitempty" doc:"At most this many." min:"1" max:"50" default:"20"`
	Sender      string `json:"filter_by_sender,omitempty" alias:"sender" doc:"Only from this agent."`
	IncludeRead bool   `json:"include_read,omitempty" doc:"Read ones, too."`
	WaitSeconds int    `json:"wait_seconds,omitempty" doc:"How long to wait if there is none." min:"0" max:"60"`
}

// InboxMessage is a message as check_inbox and get_conversation_history show it.
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

// MessageFilters selects the messages of GetMessages.
type MessageFilters struct {
	MessageTypes     []MessageType `json:"message_types,omitempty"`
	Senders          []string      `json:"senders,omitempty"`
	Priority         Priority      `json:"priority,omitempty"`
	UnreadOnly       bool          `json:"unread_only,omitempty"`
	Since            *time.Time    `json:"since_timestamp,omitempty"`
	ContextReference string        `json:"context_reference,omitempty"`
	Before           string        `json:"before,omitempty"` // in a thread: only posts before this one; the counts ignore it
}

// GetMessagesRequest asks for the caller's messages, or a thread's. With filters or
// sort_order the defaults are 50 messages and nothing marked as read, otherwise 10
// messages, newest first, marked as read. mark_read overrides.
type GetMessagesRequest struct {
	ThreadID  string          `json:"thread_id,omitempty" doc:"Only this thread's posts."`
	Limit     int             `json:"limit,omitempty" doc:"10, or 50 with filters or sort_order." min:"1" max:"100"`
	Since     *time.Time      `json:"since,omitempty" doc:"Only after this time."`
	SortOrder string          `json:"sort_order,omitempty" enum:"newest_first,oldest_first" doc:"newest_first by default."`
	MarkRead  *bool           `json:"mark_read,omitempty" doc:"yes unless filters or sort_order are given."`
	Filters   *MessageFilters `json:"filters,omitempty" doc:"Only messages that match."`
}

// Validate checks the filters and fills in the defaults.
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
		if err := OneOf("filters.message_types", string(t), enumOf[SendMessageRequest]("type")); err != nil {
			return err
		}
	}

	if r.Filters.Priority != "" {
		return OneOf("filters.priority", string(r.Filters.Priority), enumOf[SendMessageRequest]("priority"))
	}

	return nil
}

// Content is the body of a ContractMessage.
type Content struct {
	Text        string            `json:"text"`
	Data        json.RawMessage   `json:"data"` // a JSON object; {} if there is none
	Attachments []json.RawMessage `json:"attachments"`
}

// MarshalJSON writes data and attachments even if there are none: readers of the
// contract expect both.
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
	e.SetEscapeHTML(false) // the encoder of the whole value decides about that
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

// ContractMessage is a message as get_messages and search_messages show it.
type ContractMessage struct {
	MessageID        string         `json:"message_id"`
	SenderAgentID    string         `json:"sender_agent_id"`
	SenderName       string         `json:"sender"`
	SenderRole       string         `json:"sender_role"`
	MessageType      MessageType    `json:"message_type"`
	Content          Content        `json:"content"`
	Priority         Priority       `json:"priority"`
	Timestamp        time.Time      `json:"timestamp"`
	ReadStatus       bool           `json:"read_status"` // before this call
	RequiresResponse bool           `json:"requires_response"`
	ResponseDeadline *time.Time     `json:"response_deadline,omitempty"`
	ConversationID   string         `json:"conversation_id"`
	ContextReference string         `json:"context_reference"`
	InReplyTo        string         `json:"in_reply_to,omitempty"`
	ResponseStatus   ResponseStatus `json:"response_status,omitempty"`
	ThreadID         string         `json:"thread_id,omitempty"`
}

// GetMessagesResult lists messages. The counts are of all messages that match the filters.
type GetMessagesResult struct {
	Answer
	Messages    []ContractMessage `json:"messages"`
	TotalCount  int               `json:"total_count"`
	UnreadCount int               `json:"unread_count"`
}

// MarkMessageReadRequest names the messages to mark as read.
type MarkMessageReadRequest struct {
	MessageIDs Names `json:"message_ids" alias:"message_id" required:"true" doc:"Ids of the messages."`
}

// MarkMessageReadResult sorts the ids of the request.
type MarkMessageReadResult struct {
	Answer
	MarkedRead  []string `json:"marked_read"`
	NotFound    []string `json:"not_found"`
	AlreadyRead []string `json:"already_read"`
}

// CheckNewMessagesRequest has no parameters.
type CheckNewMessagesRequest struct{}

// NewMessage is the preview of an unread message.
type NewMessage struct {
	MessageID string   `json:"message_id"`
	Sender    string   `json:"sender"`
	Priority  Priority `json:"priority"`
	Preview   string   `json:"preview"` // at most 100 characters
}

// CheckNewMessagesResult counts the unread messages and previews the most urgent ones.
// Of the same priority the newest come first.
type CheckNewMessagesResult struct {
	Answer
	UnreadCount int          `json:"unread_count"`
	Message     string       `json:"message"` // such as: You have N unread message(s).
	Messages    []NewMessage `json:"messages"`
}

// HistoryRequest names the other agent of a conversation.
type HistoryRequest struct {
	With   string `json:"conversation_with" alias:"with" required:"true" doc:"Name or id."`
	Limit  int    `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"50"`
	Before string `json:"before,omitempty" doc:"Only messages before this id, to page back."`
}

// HistoryResult is a page of a conversation, oldest message first.
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

// SearchMessagesRequest searches messages. All words must occur; case and accents do not
// matter. Words in double quotes must occur as a phrase.
type SearchMessagesRequest struct {
	Query string     `json:"query" alias:"q,text" required:"true" doc:"Words that must all occur, or \"a phrase\"." max:"200"`
	From  string     `json:"from,omitempty" alias:"sender,filter_by_sender" doc:"Only from this agent."`
	To    string     `json:"to,omitempty" alias:"recipient" doc:"Only to this agent."`
	Since *time.Time `json:"since,omitempty" doc:"Only after this time."`
	Until *time.Time `json:"until,omitempty" doc:"Only up to this time."`
	Limit int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"20"`
}

// Validate checks that until is not before since.
func (r *SearchMessagesRequest) Validate() error {
	if r.Since != nil && r.Until != nil && r.Until.Before(*r.Since) {
		return Errorf(InvalidArgument, "until is before since").With("parameter", "until").
			Suggest("Give a time in until that comes after the one in since.")
	}
	return nil
}

// FoundMessage is a message with its recipients and the part of its text that matches.
// read_status is false only for messages that the caller received and has not read.
type FoundMessage struct {
	ContractMessage
	Kind           MessageKind           `json:"kind"`
	ThreadTitle    string                `json:"thread_title,omitempty"`
	RecipientIDs   []string              `json:"recipient_agent_ids"`  // at most the first twenty
	Recipients     []string              `json:"recipients,omitempty"` // their names
	RecipientCount int                   `json:"recipient_count"`
	States         map[DeliveryState]int `json:"states,omitempty"` // how many deliveries are in which state
	Snippet        string                `json:"snippet"`
}

// SearchMessagesResult lists the messages that match, newest first.
type SearchMessagesResult struct {
	Answer
	Messages []FoundMessage `json:"messages"`
	HasMore  bool           `json:"has_more"`
	// Truncated says that only messages since SearchedSince were searched. The same
	// search with until set to that time continues.
	Truncated     bool       `json:"truncated"`
	SearchedSince *time.Time `json:"searched_since,omitempty"`
}

// ExportMessagesRequest asks for a page of whole messages, oldest first: all of them,
// those of two agents, or those of a thread.
type ExportMessagesRequest struct {
	Between  Names      `json:"between,omitempty" doc:"Two names or ids: only their messages to each other." max:"2"`
	ThreadID string     `json:"thread_id,omitempty" doc:"Only this thread."`
	Since    *time.Time `json:"since,omitempty" doc:"Only after this time."`
	After    int64      `json:"after,omitempty" doc:"The next of the previous page." min:"0"`
	Limit    int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"500" default:"100"`
}

// Validate checks that at most one conversation is given, and that it has two agents.
func (r *ExportMessagesRequest) Validate() error {
	switch {
	case len(r.Between) > 0 && r.ThreadID != "":
		return Errorf(InvalidArgument, "between and thread_id were both given").With("parameter", "thread_id").
			Suggest("Give one of the two, or neither for everything.")
	case len(r.Between) == 1:
		return Errorf(InvalidArgument, "between names one agent").With("parameter", "between").
			Suggest("Name both agents.")
	}
	return nil
}

// ExportedMessage is a message with its deliveries and their steps.
type ExportedMessage struct {
	Message
	Deliveries []Delivery `json:"deliveries"`
}

// ExportMessagesResult is a page of messages, and where the next page begins. A page may
// be shorter than the limit although there are more.
type ExportMessagesResult struct {
	Answer
	Messages   []ExportedMessage `json:"messages"`
	Next       int64             `json:"next"` // the after of the next call
	HasMore    bool              `json:"has_more"`
	TotalCount int               `json:"total_count,omitempty"` // of all pages; only in the first page
	Between    []string          `json:"between,omitempty"`     // the names of both agents
	Thread     *Thread           `json:"thread,omitempty"`
}

// FindMessagesRequest asks for messages of the whole team. All words must occur; case and accents do not
// matter. Words in double quotes must occur as a phrase. Each other condition must hold too;
// of the values of one condition, one is enough.
type FindMessagesRequest struct {
	Query  string     `json:"query,omitempty" alias:"q,text" doc:"Words that must all occur, or \"a phrase\". Needed unless there is another condition." max:"200"`
	Filter string     `json:"filter,omitempty" doc:"A filter as the screen takes it, such as from:coder is:held since:2h; words of it count as begun. Times are those of the daemon's machine." max:"500"`
	Begun  bool       `json:"begun,omitempty" doc:"yes: words may be the names of senders and recipients, and parts of words where no message has all of them as words."`
	From   string     `json:"from,omitempty" alias:"sender,filter_by_sender" doc:"Only from this agent."`
	To     string     `json:"to,omitempty" alias:"recipient" doc:"Only to this agent."`
	Agents Names      `json:"agents,omitempty" alias:"agent" doc:"Only from or to one of these agents." max:"50"`
	Thread string     `json:"thread,omitempty" alias:"thread_id" doc:"Only of this thread: its id, or words of its title." max:"200"`
	States []string   `json:"states,omitempty" alias:"state" doc:"Only with a delivery in one of these states, such as held." max:"20"`
	Types  []string   `json:"types,omitempty" alias:"type" doc:"Only of these types, such as request, or kinds, such as broadcast." max:"20"`
	Ranks  []string   `json:"priorities,omitempty" alias:"priority" doc:"Only of these priorities, such as urgent." max:"10"`
	Has    []string   `json:"has,omitempty" doc:"Only with all of these: file, question (it requires a response), reply (it answers a message)." max:"3"`
	Since  *time.Time `json:"since,omitempty" doc:"Only after this time."`
	Until  *time.Time `json:"until,omitempty" doc:"Only up to this time."`
	Before string     `json:"before,omitempty" doc:"Only before the message with this id, to page back."`
	Limit  int        `json:"limit,omitempty" doc:"At most this many." min:"1" max:"100" default:"20"`
}

// What FindMessagesRequest.Has names.
const (
	HasFile     = "file"
	HasQuestion = "question"
	HasReply    = "reply"
)

// HasTerms returns what FindMessagesRequest.Has can name.
func HasTerms() []string { return []string{HasFile, HasQuestion, HasReply} }

// Validate checks that until is not before since, that there is a condition, and that its
// values are known.
func (r *FindMessagesRequest) Validate() error {
	if r.Since != nil && r.Until != nil && r.Until.Before(*r.Since) {
		return Errorf(InvalidArgument, "until is before since").With("parameter", "until").
			Suggest("Give a time in until that comes after the one in since.")
	}

	conditions := len(r.Agents) + len(r.States) + len(r.Types) + len(r.Ranks) + len(r.Has)
	if r.Query+r.Filter+r.From+r.To+r.Thread == "" && conditions == 0 && r.Since == nil && r.Until == nil {
		return Errorf(InvalidArgument, "there is nothing to search for").With("parameter", "query").
			Suggest("Give words in query, or a condition such as states.")
	}

	types := append(plain.Strings(MessageTypes()), plain.Strings(MessageKinds())...)
	return cmp.Or(
		known("states", r.States, plain.Strings(DeliveryStates())),
		known("types", r.Types, types),
		known("priorities", r.Ranks, []string{"low", "normal", "high", "urgent"}),
		known("has", r.Has, HasTerms()),
	)
}

// known returns an error if one of the given values is not among the known ones.
func known(parameter string, given, among []string) error {
	for _, v := range given {
		if !slices.Contains(among, v) {
			return Errorf(InvalidArgument, "%s has %q", parameter, plain.CleanLine(v)).With("parameter", parameter).
				Suggest("Use %s.", strings.Join(among, ", "))
		}
	}
	return nil
}
