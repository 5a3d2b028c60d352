package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// HistoryQuery asks for the messages between two agents.
type HistoryQuery struct {
	A, B   string // their IDs, in either order
	Limit  int
	Before string // only before this one of their messages, by the beginning of its ID; may be empty
}

// HistoryPage is the newest page of a conversation, with the oldest message first.
type HistoryPage struct {
	Items   []InboxItem
	HasMore bool // there are older ones
	Total   int  // of the whole conversation

	First, Last time.Time // when its first and last messages were accepted; zero without any
}

// isDirect selects the deliveries of messages between two agents, guidance too. It must be
// spelled as in the index, or SQLite does not use that.
const isDirect = `(d.kind = 'direct' OR d.kind = 'steering')`

// History returns the messages that two agents sent to each other alone. MESSAGE_NOT_FOUND
// when Before is not one of them.
func (s *Messages) History(ctx context.Context, q HistoryQuery) (HistoryPage, error) {
	where := ` WHERE d.conversation_id = ? AND ` + isDirect
	args := []any{parley.ConversationID(q.A, q.B)}

	var page HistoryPage
	err := s.db.read(ctx, "counting the conversation", &page.Total, `SELECT count(*) FROM deliveries d`+where, args...)
	if err != nil {
		return HistoryPage{}, err
	}
	if err := s.extent(ctx, &page, where, args); err != nil {
		return HistoryPage{}, err
	}

	if q.Before != "" {
		before, err := s.db.seqOf(ctx, "reading the conversation", q.Before,
			` FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+where, args...)
		if err != nil {
			return HistoryPage{}, err
		}
		where, args = where+` AND d.message_seq < ?`, append(args, before)
	}

	items, err := s.db.items(ctx, where, false, q.Limit+1, args...)
	if err != nil {
		return HistoryPage{}, err
	}
	if len(items) > q.Limit {
		items, page.HasMore = items[:q.Limit], true
	}

	slices.Reverse(items)
	page.Items = items

	return page, nil
}

// extent sets the times of the first and the last message.
func (s *Messages) extent(ctx context.Context, page *HistoryPage, where string, args []any) error {
	if page.Total == 0 {
		return nil
	}

	const end = `SELECT m.accepted_at FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	var first, last int64
	err := s.db.read(ctx, "reading the conversation", &first, end+where+` ORDER BY d.message_seq LIMIT 1`, args...)
	if err == nil {
		err = s.db.read(ctx, "reading the conversation", &last, end+where+` ORDER BY d.message_seq DESC LIMIT 1`, args...)
	}
	page.First, page.Last = instant(first), instant(last)

	return err
}
