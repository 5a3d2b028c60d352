package store

import "sync"

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

	changes int64 // how often counts were invalidated
	all     unreadOfAll
}

// unreadOfAll holds how many messages of each agent are unread, as of an event and a change.
type unreadOfAll struct {
	event, changes int64
	n              map[string]int
}

// unread returns the counts of all agents if they still hold after an event, else none, to put.
func (c *inboxCounts) unread(event int64) unreadOfAll {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all.n == nil || c.all.event != event || c.all.changes != c.changes {
		return unreadOfAll{event: event, changes: c.changes}
	}
	return c.all
}

func (c *inboxCounts) putUnread(all unreadOfAll) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = all
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

	c.changes++
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

// counted caches the totals: there are millions of deliveries, none is ever removed, and
// those of a message are stored with it.
type counted struct {
	sync.Mutex
	messages, deliveries int64 // deliveries counts those of the first so many messages
}
