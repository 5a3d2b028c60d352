package store

import (
	"context"
	"slices"
	"time"

	"parley"
)

// ExportQuery asks for whole messages, the oldest first: all, those between two agents, or
// those of a thread.
type ExportQuery struct {
	A, B     string // the IDs of two agents; empty for all
	ThreadID string
	Since    time.Time // later than this
	After    int64     // the Next of the previous page
	Limit    int
}

// ExportPage is one page of an export.
type ExportPage struct {
	Messages []parley.ExportedMessage
	Next     int64
	HasMore  bool
	Total    int // the number of messages in all pages; only in the first
}

// exportedDeliveries bounds a page: a message may have gone to a whole team, and a
// delivery has several steps of some hundred bytes each.
const exportedDeliveries = 2000

// Export returns a page of messages with all their deliveries.
func (s *Messages) Export(ctx context.Context, q ExportQuery) (ExportPage, error) {
	const doing = "reading messages"
	var page ExportPage
	column, from, args := q.source()
	if q.After == 0 {
		var err error
		if !q.Since.IsZero() { // from the newest back: this reads few more messages than the export
			err = s.db.read(ctx, doing, &q.After,
				`SELECT seq FROM messages WHERE accepted_at <= ? ORDER BY seq DESC LIMIT 1`, nanos(q.Since.Add(-clockSlack)))
			args[len(args)-1] = q.After
		}

		if err == nil {
			err = s.db.read(ctx, doing, &page.Total, `SELECT count(*)`+from, args...)
		}
		if err != nil {
			return page, err
		}
	}

	var found []struct{ Seq, Deliveries int64 }
	err := s.db.read(ctx, doing, &found, `SELECT f.seq,
			(SELECT count(*) FROM deliveries e WHERE e.message_seq = f.seq) AS deliveries
		FROM (SELECT `+column+` AS seq`+from+` ORDER BY `+column+` LIMIT ?) f ORDER BY f.seq`,
		append(args, q.Limit+1)...)
	if err != nil {
		return page, err
	}

	var seqs []int64
	var deliveries int64
	for _, m := range found {
		deliveries += m.Deliveries
		if len(seqs) == q.Limit || len(seqs) > 0 && deliveries > exportedDeliveries {
			break
		}
		seqs = append(seqs, m.Seq)
	}

	page.HasMore, page.Next = len(seqs) < len(found), q.After
	if len(seqs) == 0 {
		return page, nil
	}

	page.Next = seqs[len(seqs)-1]
	page.Messages, err = s.exported(ctx, doing, seqs)

	return page, err
}

// source returns the FROM clause of the messages, and the column with their numbers. The
// last of the arguments is the number after which they begin.
func (q *ExportQuery) source() (column, from string, args []any) {
	later := ``
	since := func(accepted string) {
		if !q.Since.IsZero() {
			later, args = ` AND `+accepted+` > ?`, append(args, nanos(q.Since))
		}
	}

	switch {
	case q.A != "":
		column, from = `d.message_seq`, ` FROM deliveries d WHERE d.conversation_id = ? AND `+isDirect
		args = []any{parley.ConversationID(q.A, q.B)}
		since(`(SELECT m.accepted_at FROM messages m WHERE m.seq = d.message_seq)`)
	case q.ThreadID != "":
		column, from = `m.seq`, ` FROM messages m WHERE m.thread_id <> '' AND m.thread_id = ?`
		args = []any{q.ThreadID}
		since(`m.accepted_at`)
	default:
		column, from = `m.seq`, ` FROM messages m WHERE 1 = 1`
		since(`m.accepted_at`)
	}

	return column, from + later + ` AND ` + column + ` > ?`, append(args, q.After)
}

// exported reads messages by their numbers, with their deliveries.
func (s *Messages) exported(ctx context.Context, doing string, seqs []int64) ([]parley.ExportedMessage, error) {
	var messages []messageRow
	err := s.db.read(ctx, doing, &messages, `SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.seq IN ? ORDER BY m.seq`, seqs)
	if err != nil {
		return nil, err
	}

	var deliveries []deliveryRow
	err = s.db.read(ctx, doing, &deliveries, `SELECT `+deliveryColumns+`
		FROM deliveries d JOIN messages m ON m.seq = d.message_seq JOIN agents r ON r.id = d.recipient_id
		WHERE d.message_seq IN ? ORDER BY d.message_seq, lower(r.name)`, seqs)
	if err != nil {
		return nil, err
	}

	list := make([]parley.ExportedMessage, len(messages))
	for i := range messages {
		m := parley.ExportedMessage{Message: messages[i].message(), Deliveries: []parley.Delivery{}}
		for len(deliveries) > 0 && deliveries[0].MessageSeq == messages[i].Seq {
			m.Deliveries = append(m.Deliveries, deliveries[0].delivery())
			m.Recipients = append(m.Recipients, deliveries[0].RecipientID)
			deliveries = deliveries[1:]
		}

		list[i] = m
	}

	return list, nil
}

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
