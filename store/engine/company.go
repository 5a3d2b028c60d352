package engine

import (
	"slices"
	"time"
)

// A commit costs as much as ten writes, so writes that belong together share one. What
// follows from one row is stored at about the same time: the writing goroutine knows
// how many such writes are still to come, and waits for them by count. The time only bounds
// that, for callers that take longer. A full batch does not wait: it is written while the
// callers do the rest.
const (
	// companyTime is how long a write waits for its company.
	companyTime = 5 * time.Millisecond
	// companyAge is how long company is expected. A caller that takes longer is not waited for.
	companyAge = 100 * time.Millisecond
)

// Round is what follows a row for each of several callers at about the same time: first something that begins, and
// later how it ended.
type Round struct {
	Of     int64 // the number of the row
	Begins bool
}

// company counts the writes that are expected soon, by their Round. Only the writing goroutine
// uses it.
type company map[Round]expected

type expected struct {
	writes int
	since  time.Time
}

// expect adds n writes of a round. One alone has no company.
func (c company) expect(r Round, n int, now time.Time) {
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
func (c company) arrived(writes []*Write) {
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

// lacks reports whether the writes have company that is still to come. What begins does not wait for what ends, which
// comes later.
func (c company) lacks(writes []*Write, now time.Time) bool {
	begins := slices.ContainsFunc(writes, func(w *Write) bool { return w.round.Begins })
	return slices.ContainsFunc(writes, func(w *Write) bool {
		e, ok := c[w.round]
		return ok && w.round.Begins == begins && now.Sub(e.since) <= companyAge
	})
}

// await takes more writes while a batch lacks company, and returns the whole batch.
func (q *Queue) await(batch []*Write) []*Write {
	q.company.arrived(batch)
	var late <-chan time.Time
	for len(batch) < MaxBatch && q.company.lacks(batch, time.Now()) {
		if late == nil {
			late = time.After(companyTime)
		}

		select {
		case <-q.wake:
		case <-late:
			return batch
		}

		more, open := q.take(MaxBatch - len(batch))
		q.company.arrived(more)
		batch = append(batch, more...)
		if !open {
			break
		}
	}

	return batch
}

// Expect notes how many writes follow those of a transaction, by their round. Only the writing goroutine calls it.
func (q *Queue) Expect(next map[Round]int) {
	now := time.Now()
	for r, n := range next {
		q.company.expect(r, n, now)
	}
}

// Expected returns how many writes of a round are still to come. Only the writing goroutine calls it.
func (q *Queue) Expected(r Round) int { return q.company[r].writes }
