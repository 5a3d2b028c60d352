package store

import "time"

// A commit costs as much as ten writes, so writes that belong together share one. The
// terminals of one broadcast are closed at about the same time: the writing goroutine knows
// how many such writes are still to come, and waits for them by count. The time only bounds
// that, for terminals that take longer. A batch that is no longer small does not wait: it is
// written while tmux types the rest.
const (
	// companyTime is how long a write waits for its company.
	companyTime = 5 * time.Millisecond
	// companyAge is how long company is expected. An agent that takes longer to take a text
	// is not waited for.
	companyAge = 100 * time.Millisecond
)

// company counts the writes that are expected soon, by the message whose deliveries they
// change. Only the writing goroutine uses it.
type company map[int64]expected

type expected struct {
	writes int
	since  time.Time
}

// expect adds n writes for a message's deliveries. One alone has no company.
func (c company) expect(message int64, n int, now time.Time) {
	for m, e := range c {
		if now.Sub(e.since) > companyAge {
			delete(c, m)
		}
	}

	if n > 1 {
		c[message] = expected{writes: c[message].writes + n, since: now}
	}
}

// arrived notes writes that are expected no longer.
func (c company) arrived(writes []*write) {
	for _, w := range writes {
		e, ok := c[w.message]
		if !ok {
			continue
		}
		if e.writes--; e.writes > 0 {
			c[w.message] = e
		} else {
			delete(c, w.message)
		}
	}
}

// lacks reports whether one of the writes has company that is still to come.
func (c company) lacks(writes []*write, now time.Time) bool {
	for _, w := range writes {
		if e, ok := c[w.message]; ok && now.Sub(e.since) <= companyAge {
			return true
		}
	}
	return false
}

// await takes more writes while a batch lacks company, and returns the whole batch.
func (db *database) await(batch []*write) []*write {
	db.company.arrived(batch)
	var late <-chan time.Time
	for len(batch) < few && db.company.lacks(batch, time.Now()) {
		if late == nil {
			late = time.After(companyTime)
		}

		select {
		case <-db.queue.wake:
		case <-late:
			return batch
		}

		more, open := db.queue.take(maxBatch - len(batch))
		db.company.arrived(more)
		batch = append(batch, more...)
		if !open {
			break
		}
	}

	return batch
}

// expectCompany notes which writes follow those of a transaction: the claims of what is
// queued, and the outcomes of what is claimed.
func (db *database) expectCompany(t *tx) {
	next := map[int64]int{}
	for i := range t.deliveries {
		if d := &t.deliveries[i]; d.waits() || d.isTyped() {
			next[d.MessageSeq]++
		}
	}
	for _, c := range t.claims {
		next[c.MessageSeq]++
	}

	now := time.Now()
	for message, n := range next {
		db.company.expect(message, n, now)
	}
}
