package store

import (
	"context"
	"strings"
	"time"

	"parley"
)

// SearchQuery asks for messages that hold words.
type SearchQuery struct {
	Words string // all of these must occur, phrases in double quotes as they are
	For   string // the agent who asks: only what it sent or got, or reads in a thread
	All   bool   // everything, whoever sent it to whom
	From  string // only of this sender
	To    string // only to this recipient
	Since time.Time
	Until time.Time // not later than this; zero for now
	Limit int

	late []string // threads in which there is what the agent may read and did not get
}

// FoundItem is a message that was found, with the asking agent's own delivery if it
// has one. It counts as read when it has none.
type FoundItem struct {
	InboxItem
	Recipients     []string // the first of their ids
	RecipientCount int
}

// FoundPage is what was found, newest first.
type FoundPage struct {
	Items   []FoundItem
	HasMore bool // there are older ones
	// SearchedSince is set when the search was given up: what is older than it was not
	// looked at.
	SearchedSince time.Time
}

// listedRecipients is how many recipients of a message are listed.
const listedRecipients = 20

// quickStretch is how long a short stretch takes at most before long ones are tried:
// four times that is left of 50 ms at any time.
const quickStretch = 4 * time.Millisecond

// searchTime is how long further stretches are looked at: an answer should come within
// 50 ms, and the last stretch and the rest of the answer need some of it. Where even the
// quickest stretch was slow, because the words are frequent, two thirds of it must do, with
// the next one: it will be as slow.
const searchTime = 30 * time.Millisecond

// clockSlack is how far the times of messages may be out of the order in which they
// were stored.
const clockSlack = time.Minute

// NoWords reports that there is nothing in a query that could be looked for.
func NoWords(query string) bool { return matchWords(query) == "" }

// Search finds messages, newest first. Queries that are costly, because their words are
// frequent and do not occur together, are given up after some stretches of messages.
func (s *Messages) Search(ctx context.Context, q SearchQuery) (FoundPage, error) {
	var page FoundPage
	words := matchWords(q.Words)
	if words == "" {
		return page, nil
	}

	low, high, err := s.span(ctx, q.Since, q.Until)
	if err == nil && !q.All {
		q.late, err = s.joinedLate(ctx, q.For)
	}

	begun, bits, quickest := s.now(), shortStretch, time.Hour
	for n := 1; err == nil && low <= high; n++ {
		from, each := max(low, high>>bits<<bits), s.now()
		var items []FoundItem
		items, err = s.searchStretch(ctx, &q, words, stretch{from, high, bits}, q.Limit+1-len(page.Items))
		page.Items = append(page.Items, items...)
		if len(page.Items) > q.Limit {
			page.Items, page.HasMore = page.Items[:q.Limit], true
			break
		}

		high = from - 1
		now := s.now()
		quickest = min(quickest, now.Sub(each))
		enough := now.Sub(begun) >= s.tuning.searchTime
		if n > 1 && quickest >= quickStretch { // one alone may have been held up
			enough = now.Sub(begun)+quickest >= s.tuning.searchTime*2/3
		}

		if err == nil && low <= high && enough {
			page.SearchedSince, err = s.acceptedAt(ctx, from)
			break
		}

		if bits = shortStretch; now.Sub(each) < quickStretch {
			bits = longStretch
		}
	}

	if err != nil {
		return FoundPage{}, err
	}

	return page, nil
}

// span returns the numbers of the first and the last message that may lie between two
// times; low is above high when there is none.
func (s *Messages) span(ctx context.Context, since, until time.Time) (low, high int64, err error) {
	err = s.read(ctx, "searching messages", &high, `SELECT coalesce(max(seq), 0) FROM messages`)
	low = 1
	if err == nil && !since.IsZero() {
		low, err = s.firstSince(ctx, since.Add(-clockSlack), high)
	}
	if err == nil && !until.IsZero() {
		high, err = s.firstSince(ctx, until.Add(clockSlack), high)
	}
	return low, high, err
}

// firstSince returns the number of the first message that was accepted at a time or
// later, and last+1 when there is none. Numbers grow as times do.
func (s *Messages) firstSince(ctx context.Context, t time.Time, last int64) (int64, error) {
	low, high := int64(1), last+1
	for low < high {
		middle := low + (high-low)/2
		at, err := s.acceptedAt(ctx, middle)
		switch {
		case err != nil:
			return 0, err
		case at.Before(t):
			low = middle + 1
		default:
			high = middle
		}
	}

	return low, nil
}

// acceptedAt returns when the first message from a number on was accepted.
func (s *Messages) acceptedAt(ctx context.Context, seq int64) (time.Time, error) {
	var at int64
	err := s.read(
		ctx,
		"searching messages",
		&at,
		`SELECT m.accepted_at FROM messages m WHERE m.seq >= ? ORDER BY m.seq LIMIT 1`,
		seq,
	)
	return instant(at), err
}

// foundRow is a message that was found, in one row of an answer.
type foundRow struct {
	Message        messageRow `gorm:"embedded"`
	ConversationID string
	IsRead         bool
	RecipientCount int
	RecipientIDs   string
}

// stretch is a part of the messages that lies within one of so many bits.
type stretch struct {
	from, to int64
	bits     int
}

// searchStretch looks at one stretch.
func (s *Messages) searchStretch(
	ctx context.Context,
	q *SearchQuery,
	words string,
	part stretch,
	limit int,
) ([]FoundItem, error) {
	match, where, args := q.match(words, part)
	args = append([]any{listedRecipients, q.For, match, part.from, part.to}, args...)
	var rows []foundRow
	err := s.read(ctx, "searching messages", &rows, `SELECT `+messageColumns+`,
		coalesce(mine.conversation_id, CASE m.kind WHEN 'direct' THEN
			(SELECT d.conversation_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT 1) ELSE m.thread_id END, '') AS conversation_id,
		mine.recipient_id IS NULL OR mine.read_at IS NOT NULL AS is_read,
		(SELECT count(*) FROM deliveries d WHERE d.message_seq = m.seq) AS recipient_count,
		coalesce((SELECT group_concat(l.recipient_id, ' ') FROM
			(SELECT d.recipient_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT ?) l), '') AS recipient_ids
		FROM message_words w CROSS JOIN messages m ON m.seq = w.rowid JOIN agents s ON s.id = m.sender_id
		LEFT JOIN deliveries mine ON mine.message_seq = m.seq AND mine.recipient_id = ?
		WHERE w.message_words MATCH ? AND w.rowid BETWEEN ? AND ?`+where+`
		ORDER BY w.rowid DESC LIMIT ?`, append(args, limit)...)

	items := make([]FoundItem, len(rows))
	for i := range rows {
		items[i] = rows[i].item()
	}

	return items, err
}

func (r *foundRow) item() FoundItem {
	m := r.Message.message()
	return FoundItem{RecipientCount: r.RecipientCount, Recipients: strings.Fields(r.RecipientIDs),
		InboxItem: InboxItem{
			Message:  m,
			Read:     r.IsRead,
			Delivery: parley.Delivery{MessageID: m.ID, ConversationID: r.ConversationID},
		}}
}

// match returns the query for the index, in a stretch, and the conditions upon the times.
// The marks come first, the stretch last of them: FTS5 steps in this order, and so does
// not look for words where no mark is.
func (q *SearchQuery) match(words string, part stretch) (match, where string, args []any) {
	var marks []string
	if !q.All {
		seen := []string{senderMark(q.For), recipientMark(q.For)}
		for _, id := range q.late {
			seen = append(seen, threadMark(id))
		}
		marks = append(marks, `("`+strings.Join(seen, `" OR "`)+`")`)
	}

	if q.From != "" {
		marks = append(marks, `"`+senderMark(q.From)+`"`)
	}
	if q.To != "" {
		marks = append(marks, `"`+recipientMark(q.To)+`"`)
	}

	marks = append(marks, `"`+stretchMark(part.from, part.bits)+`"`)
	if !q.Since.IsZero() {
		where, args = where+` AND m.accepted_at > ?`, append(args, nanos(q.Since))
	}
	if !q.Until.IsZero() {
		where, args = where+` AND m.accepted_at <= ?`, append(args, nanos(q.Until))
	}

	return `marks : (` + strings.Join(marks, ` AND `) + `) AND words : (` + words + `)`, where, args
}
