package store

import (
	"context"

	"parley/store/engine"
)

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
	n := s.inboxes.valid(id)
	for _, c := range []struct {
		count *int
		to    *int64
		and   string
	}{{&n.total, &n.totalTo, ``}, {&n.unread, &n.unreadTo, ` AND d.read_at IS NULL`}} {
		var more struct {
			N    int
			Last int64
		}

		err := s.read(ctx, "counting the inbox", &more, `SELECT count(*) AS n, coalesce(max(d.message_seq), 0) AS last
			FROM deliveries d WHERE d.recipient_id = ? AND d.message_seq > ?`+c.and, id, *c.to)
		if err != nil {
			return 0, 0, err
		}

		*c.count += more.N
		*c.to = max(*c.to, more.Last)
	}

	s.inboxes.put(id, n)

	return n.total, n.unread, nil
}
