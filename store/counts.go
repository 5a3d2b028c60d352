package store

import (
	"context"
	"time"

	"parley"
	"parley/store/engine"
)

// AgentCounts counts the open messages and debts of an agent.
type AgentCounts struct {
	Unread     int               // messages that it has not read
	Queued     int               // deliveries that are queued, held or being typed
	HeldReason string            // why the first held delivery is held; "" if none is
	HeldCode   parley.ReasonCode // the same as a code
	HeldID     string            // the ID of the first held message
	HeldSince  *time.Time        // when that message was accepted
	Owed       int               // required responses that it has not given
	Overdue    int               // those of them that are past their deadline
}

// Counts returns the counts of all agents that have any, by their IDs.
func (s *Inbox) Counts(ctx context.Context) (map[string]AgentCounts, error) {
	unread, err := s.unreadOfAll(ctx)
	var open []struct {
		RecipientID string
		N           int
		Held        string
		HeldCode    parley.ReasonCode
		HeldID      string
		HeldSince   int64
	}

	const doing = "counting messages"
	if err == nil {
		err = s.db.read(ctx, doing, &open, `SELECT o.recipient_id, o.n,
				coalesce(h.reason, '') AS held, coalesce(h.reason_code, '') AS held_code,
				coalesce(m.id, '') AS held_id, coalesce(m.accepted_at, 0) AS held_since
			FROM (SELECT d.recipient_id, count(*) AS n,
				min(CASE WHEN d.state = 'held' THEN d.message_seq END) AS seq
				FROM deliveries d WHERE `+isOpen+` GROUP BY d.recipient_id) o
			LEFT JOIN deliveries h ON h.message_seq = o.seq AND h.recipient_id = o.recipient_id
			LEFT JOIN messages m ON m.seq = o.seq`)
	}

	var owed []struct {
		DebtorID string
		N, Late  int
	}

	if err == nil {
		err = s.db.read(ctx, doing, &owed, `SELECT b.debtor_id, count(*) AS n, count(*) FILTER (WHERE b.due_at < ?) AS late
			FROM debts b WHERE `+isOwed+` GROUP BY b.debtor_id`, nanos(s.db.base.Now()))
	}

	if err != nil {
		return nil, err
	}

	counts := make(map[string]AgentCounts, len(unread))
	for id, n := range unread {
		counts[id] = AgentCounts{Unread: n}
	}

	for _, o := range open {
		c := counts[o.RecipientID]
		c.Queued, c.HeldReason, c.HeldCode = o.N, o.Held, o.HeldCode
		c.HeldID, c.HeldSince = o.HeldID, instantOrNil(o.HeldSince)
		counts[o.RecipientID] = c
	}

	for _, o := range owed {
		c := counts[o.DebtorID]
		c.Owed, c.Overdue = o.N, o.Late
		counts[o.DebtorID] = c
	}

	return counts, nil
}

// unreadOfAll returns how many messages of each agent are unread. They are counted again once something has happened.
func (s *Inbox) unreadOfAll(ctx context.Context) (map[string]int, error) {
	all := s.db.inboxes.unread(s.db.base.Events.Last())
	if all.n != nil {
		return all.n, nil
	}

	var rows []struct {
		RecipientID string
		N           int
	}
	err := s.db.read(ctx, "counting messages", &rows, `SELECT d.recipient_id, count(*) AS n FROM deliveries d
		WHERE d.read_at IS NULL GROUP BY d.recipient_id`)
	if err != nil {
		return nil, err
	}

	all.n = make(map[string]int, len(rows))
	for _, r := range rows {
		all.n[r.RecipientID] = r.N
	}
	s.db.inboxes.putUnread(all)

	return all.n, nil
}

// DeliveryCounts returns the number of deliveries in each state that is not a proven one.
func (s *Workspace) DeliveryCounts(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		State string
		N     int
	}

	err := s.db.read(ctx, "counting deliveries", &rows, `
		SELECT d.state, count(*) AS n FROM deliveries d WHERE `+isOpen+` GROUP BY d.state
		UNION ALL
		SELECT d.state, count(*) AS n FROM deliveries d WHERE `+isRetriable+` AND `+isOurs+` GROUP BY d.state`)

	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.State] = r.N
	}

	return counts, err
}

// Totals is the number of messages and deliveries ever stored.
type Totals struct{ Messages, Deliveries int64 }

// Totals counts messages and deliveries. The first call reads all deliveries, a later one
// those that were stored since.
func (s *Workspace) Totals(ctx context.Context) (Totals, error) {
	s.db.counted.Lock()
	defer s.db.counted.Unlock()

	const doing = "counting all messages"
	var last, more int64
	err := s.db.read(ctx, doing, &last, `SELECT coalesce(max(seq), 0) FROM messages`)
	if err == nil {
		err = s.db.read(ctx, doing, &more, `SELECT count(*) FROM deliveries WHERE message_seq > ? AND message_seq <= ?`,
			s.db.counted.messages, last)
	}

	if err != nil {
		return Totals{}, err
	}

	s.db.counted.messages, s.db.counted.deliveries = last, s.db.counted.deliveries+more

	return Totals{Messages: last, Deliveries: s.db.counted.deliveries}, nil
}

// DeliveryReasons counts the deliveries that are held or unconfirmed by their state and
// reason code. Deliveries without a code are left out.
func (s *Workspace) DeliveryReasons(ctx context.Context) (map[parley.DeliveryState]map[parley.ReasonCode]int, error) {
	var rows []struct {
		State      parley.DeliveryState
		ReasonCode parley.ReasonCode
		N          int
	}

	// Each part repeats the condition of a partial index, so that SQLite uses the index.
	err := s.db.read(ctx, "counting deliveries by reason", &rows, `
		SELECT d.state, d.reason_code, count(*) AS n FROM deliveries d
		WHERE `+isOpen+` AND d.state = 'held' AND d.reason_code <> '' GROUP BY d.state, d.reason_code
		UNION ALL
		SELECT d.state, d.reason_code, count(*) AS n FROM deliveries d
		WHERE `+isRetriable+` AND d.state = 'unconfirmed' AND d.reason_code <> '' AND `+isOurs+`
		GROUP BY d.state, d.reason_code`)

	counts := map[parley.DeliveryState]map[parley.ReasonCode]int{}
	for _, r := range rows {
		if counts[r.State] == nil {
			counts[r.State] = map[parley.ReasonCode]int{}
		}
		counts[r.State][r.ReasonCode] = r.N
	}

	return counts, err
}

// readInboxes and olderInboxes are the recipients that have read something, and those that got a message that may not
// be their newest. Nothing is written of them.
var (
	readInboxes  = engine.Table[string]{}
	olderInboxes = engine.Table[string]{}
)

// hasRead records that a change has set a read_at of this recipient.
func hasRead(t *tx, recipientID string) { readInboxes.Add(t, recipientID) }

// gotOlder records that this recipient got a message that may not be its newest.
func gotOlder(t *tx, recipientID string) { olderInboxes.Add(t, recipientID) }

// staleInboxes returns whose counts no longer hold after a transaction.
func staleInboxes(t *tx) (readers, older []string) {
	return readInboxes.Added(t), olderInboxes.Added(t)
}

// countInbox returns how many messages an agent has, and how many of them are unread.
func (s *Inbox) countInbox(ctx context.Context, id string) (total, unread int, err error) {
	n := s.db.inboxes.valid(id)
	for _, c := range []struct {
		count *int
		to    *int64
		and   string
	}{{&n.total, &n.totalTo, ``}, {&n.unread, &n.unreadTo, ` AND d.read_at IS NULL`}} {
		var more struct {
			N    int
			Last int64
		}

		err := s.db.read(ctx, "counting the inbox", &more, `SELECT count(*) AS n, coalesce(max(d.message_seq), 0) AS last
			FROM deliveries d WHERE d.recipient_id = ? AND d.message_seq > ?`+c.and, id, *c.to)
		if err != nil {
			return 0, 0, err
		}

		*c.count += more.N
		*c.to = max(*c.to, more.Last)
	}

	s.db.inboxes.put(id, n)

	return n.total, n.unread, nil
}
