package store

import (
	"context"
	"strings"
	"time"

	"parley"
)

// FoundItem is a found message, with the delivery to the agent that asks. Without such a
// delivery it counts as read.
type FoundItem struct {
	InboxItem
	Recipients     []string // the first of their IDs
	RecipientCount int
	States         map[parley.DeliveryState]int // of the deliveries
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
	page, err := s.search(ctx, q)
	if err == nil && q.Begun && q.Words != "" && len(page.Items) == 0 && page.SearchedSince.IsZero() {
		q.parts = true
		return s.search(ctx, q)
	}
	return page, err
}

func (s *Messages) search(ctx context.Context, q SearchQuery) (FoundPage, error) {
	var page FoundPage
	if q.Words != "" && NoWords(q.Words) {
		return page, nil
	}

	low, high, err := s.span(ctx, &q)
	if err == nil && !q.All {
		q.late, err = s.db.joinedLate(ctx, q.For)
	}

	start, bits, quickest := s.db.base.Now(), shortStretch, time.Hour
	switch {
	case q.narrow():
		bits = wholeRecord
	case !q.indexed():
		bits = scanStretch
	}

	for n := 1; err == nil && low <= high; n++ {
		from, stretchStart := max(low, high>>bits<<bits), s.db.base.Now()
		var items []FoundItem
		items, err = s.searchStretch(ctx, &q, stretch{from, high, bits}, q.Limit+1-len(page.Items))
		page.Items = append(page.Items, items...)
		if len(page.Items) > q.Limit {
			page.Items, page.HasMore = page.Items[:q.Limit], true
			break
		}

		high = from - 1
		now := s.db.base.Now()
		quickest = min(quickest, now.Sub(stretchStart))
		enough := now.Sub(start) >= s.db.searchTime
		if n > 1 && quickest >= quickStretch { // a single one may have been delayed
			enough = now.Sub(start)+quickest >= s.db.searchTime*2/3
		}

		if err == nil && low <= high && enough {
			page.SearchedSince, err = s.acceptedAt(ctx, from)
			break
		}

		switch {
		case !q.indexed():
		case now.Sub(stretchStart) < quickStretch:
			bits = longStretch
		default:
			bits = shortStretch
		}
	}

	if err != nil {
		return FoundPage{}, err
	}

	return page, nil
}

// span returns the numbers of the first and the last message that may lie between the times
// of a query, and before its message. Without one, low is above high.
func (s *Messages) span(ctx context.Context, q *SearchQuery) (low, high int64, err error) {
	newest, args := `SELECT coalesce(max(m.seq), 0) FROM messages m`, []any{}
	if q.Before != "" {
		newest, args = newest+` WHERE m.seq < (SELECT seq FROM messages WHERE id = ?)`, append(args, q.Before)
	}

	low = 1
	err = s.db.read(ctx, "searching messages", &high, newest, args...)
	if err == nil && !q.Since.IsZero() {
		low, err = s.firstSince(ctx, q.Since.Add(-clockSlack), high)
	}
	if err == nil && !q.Until.IsZero() {
		high, err = s.firstSince(ctx, q.Until.Add(clockSlack), high)
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
	err := s.db.read(ctx, "searching messages", &at,
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
	States         string // such as "held 2 read 1"
}

// stretch is a range of message numbers that differ only in their last bits.
type stretch struct {
	from, to int64
	bits     int
}

// searchStretch returns at most limit messages of one stretch.
func (s *Messages) searchStretch(
	ctx context.Context, q *SearchQuery, part stretch, limit int,
) ([]FoundItem, error) {
	index := wordsOf(s.db.base.SQL)
	from, where, args := q.source(index, part)
	conditions, more := q.conditions(s.db.base.SQL)
	args = append([]any{listedRecipients, q.For}, args...)
	args = append(append(args, more...), limit)

	var rows []foundRow
	err := s.db.read(ctx, "searching messages", &rows, `SELECT `+messageColumns+`,
		coalesce(mine.conversation_id, CASE m.kind WHEN 'direct'
			THEN (SELECT d.conversation_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT 1)
			ELSE m.thread_id END, '') AS conversation_id,
		mine.recipient_id IS NULL OR mine.read_at IS NOT NULL AS is_read,
		(SELECT count(*) FROM deliveries d WHERE d.message_seq = m.seq) AS recipient_count,
		coalesce((SELECT `+s.db.base.SQL.Joined+`(l.recipient_id, ' ') FROM
			(SELECT d.recipient_id FROM deliveries d WHERE d.message_seq = m.seq LIMIT ?) l), '') AS recipient_ids,
		coalesce((SELECT `+s.db.base.SQL.Joined+`(l.state || ' ' || l.n, ' ') FROM
			(SELECT d.state, count(*) AS n FROM deliveries d WHERE d.message_seq = m.seq GROUP BY d.state) l), '') AS states
		FROM `+from+` CROSS JOIN agents s
		LEFT JOIN deliveries mine ON mine.message_seq = m.seq AND mine.recipient_id = ?
		WHERE `+where+` AND s.id = m.sender_id`+conditions+`
		ORDER BY `+q.order(index)+` DESC LIMIT ?`, args...)

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
		States:         statesOf(r.States),
		InboxItem: InboxItem{
			Message:  m,
			Read:     r.IsRead,
			Delivery: parley.Delivery{MessageID: m.ID, ConversationID: r.ConversationID},
		},
	}
}

// SearchQuery asks for messages. Each of its conditions must hold; lists name alternatives.
type SearchQuery struct {
	Words string // all must occur; a phrase in double quotes must occur as it is; "" for any text
	Begun bool   // where no message has all of them as words, they may be parts of words
	// Named holds, for words of which an agent's name is the beginning, the IDs of these agents.
	// A message from or to one of them has the word.
	Named map[string][]string

	For    string   // the ID of the agent that asks, for the messages that it sent, got, or may read in a thread
	All    bool     // all messages, whether or not that agent may read them
	From   []string // only from these senders
	To     []string // only to these recipients
	Agents []string // only from or to these
	Thread []string // only of these threads
	Since  time.Time
	Until  time.Time // not later than this; zero for now
	Before string    // only before this message
	Match  SearchMatch
	Limit  int

	parts bool     // words may be parts of words
	late  []string // threads that the agent joined late: it may read posts that it did not get
}
