package store

import (
	"context"
	"parley/store/engine"
	"sync"
)

// inboxCounts caches how many messages each agent has, and how many unread: counting
// 100,000 takes some 8 ms. A new delivery belongs to a message newer than all before,
// and none is ever removed, so only the newer ones are counted each time. When an agent
// reads something, its unread messages are counted again from the beginning, and when
// it gets an older message, all of them.
type inboxCounts struct {
	mu    sync.Mutex
	byID  map[string]inboxCount
	reads map[string]int64 // how often an agent has read something
	older map[string]int64 // how often an agent got an older message
}

// inboxCount holds the counts of one agent.
type inboxCount struct {
	total, unread     int
	totalTo, unreadTo int64 // the number of the last message that is in the count
	reads             int64 // inboxCounts.reads when unread was counted
	older             int64 // inboxCounts.older when both were counted
}

// valid returns the counts of an agent as far as they still hold.
func (c *inboxCounts) valid(id string) inboxCount {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, reads := c.byID[id], c.reads[id]
	if older := c.older[id]; n.older != older {
		n = inboxCount{older: older}
	}
	if n.reads != reads {
		n.unread, n.unreadTo, n.reads = 0, 0, reads
	}
	return n
}

func (c *inboxCounts) put(id string, n inboxCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]inboxCount{}
	}
	c.byID[id] = n
}

// invalidate drops the unread counts of agents that have read something, and all counts
// of agents that got an older message. Call it after the commit: counts that are being
// taken meanwhile no longer hold either.
func (c *inboxCounts) invalidate(readers, gotOlder []string) {
	if len(readers)+len(gotOlder) == 0 {
		return
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	if c.reads == nil {
		c.reads, c.older = map[string]int64{}, map[string]int64{}
	}

	for _, id := range readers {
		c.reads[id]++
	}

	for _, id := range gotOlder {
		c.older[id]++
	}
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
