package store

import (
	"context"
	"time"

	"parley"
)

// Inbox lists the messages of one agent and marks them as read.
type Inbox struct{ db *database }

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
		err = s.db.read(ctx, "counting the inbox", &page.Total, `SELECT count(*)`+from+where, args...)
		if err == nil {
			err = s.db.read(ctx, "counting the inbox", &page.Unread, `SELECT count(*)`+from+where+unread, args...)
		}
	}

	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	page.Items, err = s.db.items(ctx, where, q.OldestFirst, q.Limit, args...)

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

// rankedUnread is how many unread messages Pressing ranks by priority, the newest of them.
// Urgent ones it finds among all.
const rankedUnread = 500

// Pressing returns the number of messages that an agent has not read, and at most limit of
// them: the most urgent first, then the newest.
func (s *Inbox) Pressing(
	ctx context.Context, recipientID string, limit int,
) (items []InboxItem, unread int, err error) {
	_, unread, err = s.countInbox(ctx, recipientID)
	if err != nil || unread == 0 {
		return []InboxItem{}, 0, err
	}

	var seqs []int64
	err = s.db.read(ctx, "reading unread messages", &seqs, `SELECT u.seq FROM (
			SELECT * FROM (SELECT d.message_seq AS seq, 0 AS rank FROM deliveries d`+s.db.base.SQL.IndexedBy("deliveries_pressing")+`
				WHERE d.recipient_id = ? AND d.read_at IS NULL AND d.urgent = 1 ORDER BY d.message_seq DESC LIMIT ?) p
			UNION ALL
			SELECT n.seq, CASE m.priority WHEN 'high' THEN 1 WHEN 'low' THEN 3 ELSE 2 END
				FROM (SELECT d.message_seq AS seq FROM deliveries d
				WHERE d.recipient_id = ? AND d.read_at IS NULL ORDER BY d.message_seq DESC LIMIT ?) n
				CROSS JOIN messages m WHERE m.seq = n.seq AND m.priority <> 'urgent'
		) u ORDER BY u.rank, u.seq DESC LIMIT ?`, recipientID, limit, recipientID, rankedUnread, limit)
	if err != nil {
		return nil, 0, err
	}

	items = make([]InboxItem, 0, len(seqs))
	for _, seq := range seqs {
		one, err := s.db.items(ctx, ` WHERE d.recipient_id = ? AND d.message_seq = ?`, false, 1, recipientID, seq)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, one...)
	}

	return items, unread, nil
}

// fromPosts selects messages with their delivery to one agent. The delivery is NULL where
// the agent got none, because the post is its own or older than its membership.
const fromPosts = ` FROM messages m LEFT JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?`

// threadPage returns a page of all posts of a thread. Those that were not delivered to the
// agent count as read.
func (s *Inbox) threadPage(ctx context.Context, q InboxQuery) (InboxPage, error) {
	var page InboxPage
	where, args := q.conditions(` WHERE m.thread_id = ? AND m.thread_id <> ''`, []any{q.RecipientID, q.ThreadID})
	const unread = ` AND d.state IS NOT NULL AND d.read_at IS NULL`

	err := s.db.read(ctx, "counting the thread", &page.Total, `SELECT count(*)`+fromPosts+where, args...)
	if err == nil {
		err = s.db.read(ctx, "counting the thread", &page.Unread, `SELECT count(*)`+fromPosts+where+unread, args...)
	}
	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	if q.Before != "" {
		before, err := s.db.seqOf(ctx, "reading the thread", q.Before,
			` FROM messages m WHERE m.thread_id = ? AND m.thread_id <> ''`, q.ThreadID)
		if err != nil {
			return InboxPage{}, err
		}
		where, args = where+` AND m.seq < ?`, append(args, before)
	}

	order := ` ORDER BY m.seq DESC LIMIT ?`
	if q.OldestFirst {
		order = ` ORDER BY m.seq LIMIT ?`
	}

	var rows []postRow
	err = s.db.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`, coalesce(d.state, '') AS state,
			coalesce(d.reason, '') AS reason, coalesce(d.reason_code, '') AS reason_code, d.read_at,
			coalesce(d.withheld, '') AS withheld, coalesce(d.withheld_until, 0) AS withheld_until
		`+fromPosts+` JOIN agents s ON s.id = m.sender_id`+where+order, append(args, q.Limit)...)
	for i := range rows {
		page.Items = append(page.Items, rows[i].item(q.RecipientID))
	}

	return page, err
}

// postRow is a post with its delivery to one agent.
type postRow struct {
	Message       messageRow `gorm:"embedded"`
	State         string
	Reason        string
	ReasonCode    string
	ReadAt        *int64
	Withheld      string
	WithheldUntil int64
}

func (r *postRow) item(agentID string) InboxItem {
	m := r.Message.message()
	return InboxItem{
		Message: m,
		Read:    r.State == "" || r.ReadAt != nil,
		Delivery: parley.Delivery{
			MessageID:      m.ID,
			RecipientID:    agentID,
			ConversationID: m.ThreadID,
			State:          parley.DeliveryState(r.State),
			Reason:         r.Reason,
			ReasonCode:     parley.ReasonCode(r.ReasonCode),
			Hold:           holdOf(parley.DeliveryState(r.State), r.Withheld, r.WithheldUntil),
		},
	}
}
