package store

import (
	"context"
	"time"

	"parley"
)

// Inbox lists the messages of one agent and marks them as read.
type Inbox struct{ *database }

// InboxQuery asks for what came for one agent.
type InboxQuery struct {
	RecipientID string
	ThreadID    string // not empty: all posts of this thread, delivered to the agent or not
	Limit       int
	OldestFirst bool // else newest first
	UnreadOnly  bool

	Senders          []string // ids; empty for all
	Types            []parley.MessageType
	Priority         parley.Priority
	Since            time.Time // later than this
	Before           string    // of a thread: only before this post, by its id or the beginning of it; counts are of all
	ContextReference string
}

// InboxItem is a message and its delivery, without steps.
type InboxItem struct {
	Message  parley.Message // without recipients
	Delivery parley.Delivery
	Read     bool
	Archived bool // its recipient has answered or ignored it
}

// InboxPage is what came. The counts are of all that the query's filters let
// through, read ones included even when only unread ones are listed.
type InboxPage struct {
	Items  []InboxItem
	Total  int
	Unread int
}

// Page lists messages for an agent, whatever became of their delivery to its
// terminal, and marks none.
func (s *Inbox) Page(ctx context.Context, q InboxQuery) (InboxPage, error) {
	if q.ThreadID != "" {
		return s.threadPage(ctx, q)
	}

	var page InboxPage
	where, args := q.conditions(q.mine())
	const from = ` FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	const unread = ` AND d.read_at IS NULL`
	var err error
	if len(args) == 1 {
		page.Total, page.Unread, err = s.countInbox(ctx, q.RecipientID)
	} else if err = s.read(ctx, "counting the inbox", &page.Total, `SELECT count(*)`+from+where, args...); err == nil {
		err = s.read(ctx, "counting the inbox", &page.Unread, `SELECT count(*)`+from+where+unread, args...)
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

// mine is the condition upon the recipient. Where senders are named it also says where
// to look for what they sent, which is found there without reading all that came: in
// their conversations with the recipient, and among what they did not send directly.
func (q *InboxQuery) mine() (where string, args []any) {
	where, args = ` WHERE d.recipient_id = ?`, []any{q.RecipientID}
	if len(q.Senders) == 0 {
		return where, args
	}
	conversations := make([]string, len(q.Senders))
	for i, id := range q.Senders {
		conversations[i] = parley.ConversationID(id, q.RecipientID)
	}
	return where + ` AND d.message_seq IN (
		SELECT c.message_seq FROM deliveries c WHERE c.conversation_id IN ? AND (c.kind = 'direct' OR c.kind = 'steering') AND +c.recipient_id = ?
		UNION ALL SELECT o.seq FROM messages o WHERE o.sender_id IN ? AND o.kind <> 'direct')`,
		append(args, conversations, q.RecipientID, q.Senders)
}

// conditions adds the query's, which are all of the message.
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

// items lists deliveries with their messages.
func (db *database) items(
	ctx context.Context,
	where string,
	oldestFirst bool,
	limit int,
	args ...any,
) ([]InboxItem, error) {
	order := ` ORDER BY d.message_seq DESC LIMIT ?`
	if oldestFirst {
		order = ` ORDER BY d.message_seq LIMIT ?`
	}

	var rows []itemRow
	err := db.read(ctx, "reading messages", &rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM deliveries d CROSS JOIN messages m ON m.seq = d.message_seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id`+where+order, append(args, limit)...)

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
