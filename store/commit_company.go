package store

import (
	"slices"
	"time"
)

// A commit costs as much as ten writes, so writes that belong together share one. The
// terminals of one broadcast are closed at about the same time: the writing goroutine knows
// how many such writes are still to come, and waits for them by count. The time only bounds
// that, for terminals that take longer. A full batch does not wait: it is written while tmux
// types the rest.
const (
	// companyTime is how long a write waits for its company.
	companyTime = 5 * time.Millisecond
	// companyAge is how long company is expected. An agent that takes longer to take a text
	// is not waited for.
	companyAge = 100 * time.Millisecond
)

// round is what follows a broadcast for each terminal: its claim, and later its outcome.
type round struct {
	message int64
	claims  bool
}

// company counts the writes that are expected soon, by their round. Only the writing goroutine
// uses it.
type company map[round]expected

type expected struct {
	writes int
	since  time.Time
}

// expect adds n writes of a round. One alone has no company.
func (c company) expect(r round, n int, now time.Time) {
	for other, e := range c {
		if now.Sub(e.since) > companyAge {
			delete(c, other)
		}
	}

	if n > 1 {
		c[r] = expected{writes: c[r].writes + n, since: now}
	}
}

// arrived notes writes that are expected no longer.
func (c company) arrived(writes []*write) {
	for _, w := range writes {
		e, ok := c[w.round]
		if !ok {
			continue
		}
		if e.writes--; e.writes > 0 {
			c[w.round] = e
		} else {
			delete(c, w.round)
		}
	}
}

// lacks reports whether the writes have company that is still to come. Claims do not wait for
// outcomes: those come when tmux has typed, and what is claimed is not typed yet.
func (c company) lacks(writes []*write, now time.Time) bool {
	claims := slices.ContainsFunc(writes, func(w *write) bool { return w.round.claims })
	return slices.ContainsFunc(writes, func(w *write) bool {
		e, ok := c[w.round]
		return ok && w.round.claims == claims && now.Sub(e.since) <= companyAge
	})
}

// await takes more writes while a batch lacks company, and returns the whole batch.
func (db *database) await(batch []*write) []*write {
	db.company.arrived(batch)
	var late <-chan time.Time
	for len(batch) < maxBatch && db.company.lacks(batch, time.Now()) {
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
	next := map[round]int{}
	added := deliveriesTable.Added(t)
	for i := range added {
		switch d := &added[i]; {
		case d.isTyped():
			next[round{message: d.MessageSeq}]++
		case d.waits():
			next[round{message: d.MessageSeq, claims: true}]++
		}
	}
	for _, c := range claims.Added(t) {
		next[round{message: c.MessageSeq}]++
	}

	now := time.Now()
	for r, n := range next {
		db.company.expect(r, n, now)
	}
}
