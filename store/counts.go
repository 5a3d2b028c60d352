package store

import (
	"context"
	"time"

	"parley"
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
		err = s.read(ctx, doing, &open, `SELECT o.recipient_id, o.n,
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
		err = s.read(ctx, doing, &owed, `SELECT b.debtor_id, count(*) AS n, count(*) FILTER (WHERE b.due_at < ?) AS late
			FROM debts b WHERE `+isOwed+` GROUP BY b.debtor_id`, nanos(s.base.Now()))
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
	all := s.inboxes.unread(s.base.Events.Last())
	if all.n != nil {
		return all.n, nil
	}

	var rows []struct {
		RecipientID string
		N           int
	}
	err := s.read(ctx, "counting messages", &rows, `SELECT d.recipient_id, count(*) AS n FROM deliveries d
		WHERE d.read_at IS NULL GROUP BY d.recipient_id`)
	if err != nil {
		return nil, err
	}

	all.n = make(map[string]int, len(rows))
	for _, r := range rows {
		all.n[r.RecipientID] = r.N
	}
	s.inboxes.putUnread(all)

	return all.n, nil
}

// DeliveryCounts returns the number of deliveries in each state that is not a proven one.
func (s *Workspace) DeliveryCounts(ctx context.Context) (map[string]int, error) {
	var rows []struct {
		State string
		N     int
	}

	err := s.read(ctx, "counting deliveries", &rows, `
		SELECT d.state, count(*) AS n FROM deliveries d WHERE `+isOpen+` GROUP BY d.state
		UNION ALL
		SELECT d.state, count(*) AS n FROM deliveries d WHERE `+isRetriable+` AND `+isOurs+` GROUP BY d.state`)

	counts := make(map[string]int, len(rows))
	for _, r := range rows {
		counts[r.State] = r.N
	}

	return counts, err
}
