package store

import (
	"context"
	"time"

	"parley"
)

// Inbox lists the messages of one agent and marks them as read.
type Inbox struct{ *database }

// InboxQuery asks for messages to one agent.
type InboxQuery struct {
	RecipientID string
	ThreadID    string // if not empty, all posts of this thread, delivered to the agent or not
	Limit       int
	OldestFirst bool // otherwise the newest first
	UnreadOnly  bool

	Senders          []string // their IDs; empty for all
	Types            []parley.MessageType
	Priority         parley.Priority
	Since            time.Time // later than this
	Before           string    // of a thread: before this post, by the beginning of its ID; not for the counts
	ContextReference string
}

// InboxItem is a message and its delivery, without steps.
type InboxItem struct {
	Message  parley.Message // without recipients
	Delivery parley.Delivery
	Read     bool
	Archived bool // its recipient has answered or ignored it
}

// InboxPage is a page of an inbox. The counts include all messages that the filters let
// through, read ones too, even when the page has only unread ones.
type InboxPage struct {
	Items  []InboxItem
	Total  int
	Unread int
}

// Page returns messages to an agent, whether or not they have reached its terminal. It
// marks none as read. MESSAGE_NOT_FOUND when Before is not in the thread.
func (s *Inbox) Page(ctx context.Context, q InboxQuery) (InboxPage, error) {
	if q.ThreadID != "" {
		return s.threadPage(ctx, q)
	}

	where, args := q.conditions(q.mine())
	const from = ` FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	const unread = ` AND d.read_at IS NULL`

	var page InboxPage
	var err error
	if unfiltered := len(args) == 1; unfiltered {
		page.Total, page.Unread, err = s.countInbox(ctx, q.RecipientID)
	} else {
		err = s.read(ctx, "counting the inbox", &page.Total, `SELECT count(*)`+from+where, args...)
		if err == nil {
			err = s.read(ctx, "counting the inbox", &page.Unread, `SELECT count(*)`+from+where+unread, args...)
		}
	}

	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	page.Items, err = s.items(ctx, where, q.OldestFirst, q.Limit, args...)

	return page, err
}

// mine returns the WHERE clause that selects the recipient's deliveries. For certain
// senders it also names the places where their messages are, so that SQLite need not
// read the whole inbox: their conversations with the recipient, and what they sent to
// several recipients.
func (q *InboxQuery) mine() (where string, args []any) {
	where, args = ` WHERE d.recipient_id = ?`, []any{q.RecipientID}
	if len(q.Senders) == 0 {
		return where, args
	}

	conversations := make([]string, len(q.Senders))
	for i, id := range q.Senders {
		conversations[i] = parley.ConversationID(id, q.RecipientID)
	}

	// The empty text keeps SQLite from looking the recipient up in another index.
	return where + ` AND d.message_seq IN (
		SELECT c.message_seq FROM deliveries c
			WHERE c.conversation_id IN ? AND (c.kind = 'direct' OR c.kind = 'steering') AND c.recipient_id || '' = ?
		UNION ALL SELECT o.seq FROM messages o WHERE o.sender_id IN ? AND o.kind <> 'direct')`,
		append(args, conversations, q.RecipientID, q.Senders)
}

// conditions adds the filters of the query, which all concern the message.
func (q *InboxQuery) conditions(where string, args []any) (string, []any) {
	and := func(condition string, arg any) {
		where, args = where+` AND `+condition, append(args, arg)
	}

	if len(q.Senders) > 0 {
		and(`m.sender_id IN ?`, q.Senders)
	}

	if len(q.Types) > 0 {
		types := make([]string, len(q.Types))
		for i, t := range q.Types {
			types[i] = string(t)
		}
		and(`m.type IN ?`, types)
	}

	if q.Priority != "" {
		and(`m.priority = ?`, string(q.Priority))
	}
	if !q.Since.IsZero() {
		and(`m.accepted_at > ?`, nanos(q.Since))
	}
	if q.ContextReference != "" {
		and(`m.context_reference = ?`, q.ContextReference)
	}

	return where, args
}

// items returns at most limit deliveries with their messages, without steps.
func (db *database) items(
	ctx context.Context, where string, oldestFirst bool, limit int, args ...any,
) ([]InboxItem, error) {
	order := ` ORDER BY d.message_seq DESC LIMIT ?`
	if oldestFirst {
		order = ` ORDER BY d.message_seq LIMIT ?`
	}

	var rows []itemRow
	err := db.read(ctx, "reading messages", &rows, `SELECT `+itemColumns+`
		FROM deliveries d`+messageThen+where+order,
		append(args, limit)...)

	items := make([]InboxItem, len(rows))
	for i := range rows {
		r := &rows[i]
		items[i] = InboxItem{
			Message:  r.Message.message(),
			Delivery: r.Delivery.delivery(),
			Read:     r.Delivery.ReadAt != nil,
			Archived: r.Delivery.Archived || r.Delivery.AnsweredAt != 0,
		}

		items[i].Delivery.Steps = nil
	}

	return items, err
}
