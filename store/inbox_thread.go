package store

import (
	"context"

	"parley"
)

// fromPosts selects messages with their delivery to one agent. The delivery is NULL where
// the agent got none, because the post is its own or older than its membership.
const fromPosts = ` FROM messages m LEFT JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?`

// threadPage returns a page of all posts of a thread. Those that were not delivered to the
// agent count as read.
func (s *Inbox) threadPage(ctx context.Context, q InboxQuery) (InboxPage, error) {
	var page InboxPage
	where, args := q.conditions(` WHERE m.thread_id = ? AND m.thread_id <> ''`, []any{q.RecipientID, q.ThreadID})
	const unread = ` AND d.state IS NOT NULL AND d.read_at IS NULL`

	err := s.read(ctx, "counting the thread", &page.Total, `SELECT count(*)`+fromPosts+where, args...)
	if err == nil {
		err = s.read(ctx, "counting the thread", &page.Unread, `SELECT count(*)`+fromPosts+where+unread, args...)
	}
	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	if q.Before != "" {
		before, err := s.seqOf(ctx, "reading the thread", q.Before,
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
	err = s.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`, coalesce(d.state, '') AS state,
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
