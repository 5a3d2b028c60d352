package store

import (
	"context"
	"strings"
	"time"

	"parley"
)

// SearchQuery asks for messages that contain words.
type SearchQuery struct {
	Words string // all must occur; a phrase in double quotes must occur as it is
	For   string // the ID of the agent that asks, for the messages that it sent, got, or may read in a thread
	All   bool   // all messages, whether or not that agent may read them
	From  string // only from this sender
	To    string // only to this recipient
	Since time.Time
	Until time.Time // not later than this; zero for now
	Limit int

	late []string // threads that the agent joined late: it may read posts that it did not get
}

// FoundItem is a found message, with the delivery to the agent that asks. Without such a
// delivery it counts as read.
type FoundItem struct {
	InboxItem
	Recipients     []string // the first of their IDs
	RecipientCount int
}

// FoundPage holds found messages, the newest first.
type FoundPage struct {
	Items   []FoundItem
	HasMore bool // there are older ones
	// SearchedSince is set when the search was given up: it did not look at messages older
	// than this.
	SearchedSince time.Time
}

// listedRecipients is the number of recipients that a found message lists.
const listedRecipients = 20

// quickStretch is how long a short stretch may take before a long one is tried, which
// takes four times as long: that much is left of 50 ms at any time.
const quickStretch = 4 * time.Millisecond

// searchTime is how long Search goes on to further stretches. An answer should come within
// 50 ms, and the last stretch and the rest of the answer need some of it. When even the
// quickest stretch was slow, because the words are frequent, the next one will be as slow:
// then two thirds of the time must be enough for it too.
const searchTime = 30 * time.Millisecond

// clockSlack is how far the times of messages may be out of the order of storing.
const clockSlack = time.Minute

// NoWords reports whether a query contains nothing to search for.
func NoWords(query string) bool { return len(searchTerms(query)) == 0 }

// Search finds messages, the newest first. It gives up a costly query, whose words are
// frequent but do not occur together, after some stretches of messages.
func (s *Messages) Search(ctx context.Context, q SearchQuery) (FoundPage, error) {
	var page FoundPage
	terms := searchTerms(q.Words)
	if len(terms) == 0 {
		return page, nil
	}

	low, high, err := s.span(ctx, q.Since, q.Until)
	if err == nil && !q.All {
		q.late, err = s.joinedLate(ctx, q.For)
	}

	start, bits, quickest := s.now(), shortStretch, time.Hour
	for n := 1; err == nil && low <= high; n++ {
		from, stretchStart := max(low, high>>bits<<bits), s.now()
		var items []FoundItem
		items, err = s.searchStretch(ctx, &q, terms, stretch{from, high, bits}, q.Limit+1-len(page.Items))
		page.Items = append(page.Items, items...)
		if len(page.Items) > q.Limit {
			page.Items, page.HasMore = page.Items[:q.Limit], true
			break
		}

		high = from - 1
		now := s.now()
		quickest = min(quickest, now.Sub(stretchStart))
		enough := now.Sub(start) >= s.tuning.searchTime
		if n > 1 && quickest >= quickStretch { // a single one may have been delayed
			enough = now.Sub(start)+quickest >= s.tuning.searchTime*2/3
		}

		if err == nil && low <= high && enough {
			page.SearchedSince, err = s.acceptedAt(ctx, from)
			break
		}

		if bits = shortStretch; now.Sub(stretchStart) < quickStretch {
			bits = longStretch
		}
	}

	if err != nil {
		return FoundPage{}, err
	}

	return page, nil
}

// span returns the numbers of the first and the last message that may lie between two
// times. Without one, low is above high.
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

// firstSince returns the number of the first message that was accepted at a time or later,
// last+1 for none. It relies on later messages having higher numbers.
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

// acceptedAt returns the time of the message with this number, or of the next one.
func (s *Messages) acceptedAt(ctx context.Context, seq int64) (time.Time, error) {
	var at int64
	err := s.read(ctx, "searching messages", &at,
		`SELECT m.accepted_at FROM messages m WHERE m.seq >= ? ORDER BY m.seq LIMIT 1`, seq)
	return instant(at), err
}

// foundRow is a found message with the delivery to the agent that asks.
type foundRow struct {
	Message        messageRow `gorm:"embedded"`
	ConversationID string
	IsRead         bool
	RecipientCount int
	RecipientIDs   string
}

// stretch is a range of message numbers that differ only in their last bits.
type stretch struct {
	from, to int64
	bits     int
}

// searchStretch returns at most limit messages of one stretch.
func (s *Messages) searchStretch(
	ctx context.Context, q *SearchQuery, terms []string, part stretch, limit int,
) ([]FoundItem, error) {
	index := &s.sql.words
	match, found := index.match(q.marks(part), terms)
	args := append([]any{listedRecipients, q.For}, found...)
	where, times := q.times()
	args = append(append(args, part.from, part.to), times...)
	var rows []foundRow
	err := s.read(ctx, "searching messages", &rows, `SELECT `+messageColumns+`,
		coalesce(mine.conversation_id, CASE m.kind WHEN 'direct'
			THEN (SELECT d.conversation_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT 1)
			ELSE m.thread_id END, '') AS conversation_id,
		mine.recipient_id IS NULL OR mine.read_at IS NOT NULL AS is_read,
		(SELECT count(*) FROM deliveries d WHERE d.message_seq = m.seq) AS recipient_count,
		coalesce((SELECT `+s.sql.joined+`(l.recipient_id, ' ') FROM
			(SELECT d.recipient_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT ?) l), '') AS recipient_ids
		FROM message_words w CROSS JOIN messages m JOIN agents s ON m.seq = `+index.seq+` AND s.id = m.sender_id
		LEFT JOIN deliveries mine ON mine.message_seq = m.seq AND mine.recipient_id = ?
		WHERE `+match+` AND `+index.seq+` BETWEEN ? AND ?`+where+`
		ORDER BY `+index.seq+` DESC LIMIT ?`, append(args, limit)...)

	items := make([]FoundItem, len(rows))
	for i := range rows {
		items[i] = rows[i].item()
	}

	return items, err
}

func (r *foundRow) item() FoundItem {
	m := r.Message.message()
	return FoundItem{
		RecipientCount: r.RecipientCount,
		Recipients:     strings.Fields(r.RecipientIDs),
		InboxItem: InboxItem{
			Message:  m,
			Read:     r.IsRead,
			Delivery: parley.Delivery{MessageID: m.ID, ConversationID: r.ConversationID},
		},
	}
}

// marks returns groups of marks, of each of which a message must have one. The stretch is the last.
func (q *SearchQuery) marks(part stretch) (groups [][]string) {
	if !q.All {
		readable := []string{senderMark(q.For), recipientMark(q.For)}
		for _, id := range q.late {
			readable = append(readable, threadMark(id))
		}
		groups = append(groups, readable)
	}

	if q.From != "" {
		groups = append(groups, []string{senderMark(q.From)})
	}
	if q.To != "" {
		groups = append(groups, []string{recipientMark(q.To)})
	}

	return append(groups, []string{stretchMark(part.from, part.bits)})
}

// times returns the conditions on the times.
func (q *SearchQuery) times() (where string, args []any) {
	if !q.Since.IsZero() {
		where, args = where+` AND m.accepted_at > ?`, append(args, nanos(q.Since))
	}
	if !q.Until.IsZero() {
		where, args = where+` AND m.accepted_at <= ?`, append(args, nanos(q.Until))
	}
	return where, args
}
