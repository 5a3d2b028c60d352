package parley

import "time"

// SearchMessagesRequest says what to look for. All words must occur; case and accents
// do not matter, and words in double quotes must stand together.
type SearchMessagesRequest struct {
	Query string     `json:"query" alias:"q,text" required:"true" doc:"Words that all must occur, or \"a phrase\"." max:"200"`
	From  string     `json:"from,omitempty" alias:"sender,filter_by_sender" doc:"Only from this agent."`
	To    string     `json:"to,omitempty" alias:"recipient" doc:"Only to this agent."`
	Since *time.Time `json:"since,omitempty" doc:"Only after this time (RFC 3339)."`
	Until *time.Time `json:"until,omitempty" doc:"Only up to this time."`
	Limit int        `json:"limit,omitempty" doc:"How many at most." min:"1" max:"100" default:"20"`
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
