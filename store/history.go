package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// HistoryQuery asks for what two agents said to each other.
type HistoryQuery struct {
	A, B   string // ids, in either order
	Limit  int
	Before string // only before this message of theirs, by its id or the beginning of it; may be empty
}

// HistoryPage is the newest page of a conversation, oldest first within it.
type HistoryPage struct {
	Items   []InboxItem
	HasMore bool // there are older ones
	Total   int  // of the whole conversation

	First, Last time.Time // of its messages; zero when there is none
}

// History returns what two agents said to each other and to nobody else, guidance too. MESSAGE_NOT_FOUND when
// Before is not one of them.
func (s *Messages) History(ctx context.Context, q HistoryQuery) (HistoryPage, error) {
	where, args := ` WHERE d.conversation_id = ? AND (d.kind = 'direct' OR d.kind = 'steering')`, []any{
		parley.ConversationID(q.A, q.B),
	}

	var page HistoryPage
	if err := s.read(ctx, "counting the conversation", &page.Total, `SELECT count(*) FROM deliveries d`+where, args...); err != nil {
		return HistoryPage{}, err
	}
	if err := s.extent(ctx, &page, where, args); err != nil {
		return HistoryPage{}, err
	}

	if q.Before != "" {
		before, err := s.seqOf(ctx, "reading the conversation", q.Before,
			` FROM deliveries d JOIN messages m ON m.seq = d.message_seq`+where, args...)
		if err != nil {
			return HistoryPage{}, err
		}
		where, args = where+` AND d.message_seq < ?`, append(args, before)
	}

	items, err := s.items(ctx, where, false, q.Limit+1, args...)
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

// extent finds when a conversation began and when it was last continued.
func (s *Messages) extent(ctx context.Context, page *HistoryPage, where string, args []any) error {
	if page.Total == 0 {
		return nil
	}
	const end = `SELECT m.accepted_at FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	var first, last int64
	err := s.read(ctx, "reading the conversation", &first, end+where+` ORDER BY d.message_seq LIMIT 1`, args...)
	if err == nil {
		err = s.read(ctx, "reading the conversation", &last, end+where+` ORDER BY d.message_seq DESC LIMIT 1`, args...)
	}
	page.First, page.Last = instant(first), instant(last)
	return err
}
