package team

import (
	"sync"
	"time"

	"parley/plain"
	"parley/program/profile"
)

// limitMargin is how long after the end of a usage limit a program is given something again:
// clocks differ, and programs show only minutes.
const limitMargin = 30 * time.Second

// Limit is a usage limit that a program shows. The zero value is none.
type Limit struct {
	On    bool
	Until time.Time // zero: when it ends is not known
}

// Words says when it ends, as the end of a clause.
func (l Limit) Words() string {
	if l.Until.IsZero() {
		return "; when it ends is not known"
	}
	return ", until " + plain.FormatEnd(l.Until)
}

// LimitTimer remembers the usage limit of a terminal, since a time of day means another day when it
// is read again tomorrow. It is safe for concurrent use.
type LimitTimer struct {
	mu      sync.Mutex
	seen    time.Time // when the limit was first shown, as an earlier daemon knew it
	words   string
	limit   Limit
	resumed bool // something was typed after its end
}

// Began notes that a limit that is shown has been there since then.
func (l *LimitTimer) Began(since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = since
}

// See notes what a look at the screen found, and returns the limit. A screen that shows another
// known state ends it.
func (l *LimitTimer) See(r *profile.Reading, now time.Time) Limit {
	l.mu.Lock()
	defer l.mu.Unlock()

	limited := r.Shows == profile.Blocked && r.Cause == profile.UsageLimit
	switch {
	case !limited && (r.Shows == profile.Busy || r.Shows == profile.Idle || r.Shows == profile.Blocked):
		l.limit, l.words, l.seen, l.resumed = Limit{}, "", time.Time{}, false
	case limited && (!l.limit.On || r.LimitEnds != l.words):
		if l.seen.IsZero() || l.seen.After(now) {
			l.seen = now
		}
		l.words, l.limit, l.resumed = r.LimitEnds, Limit{On: true}, false
		if until, ok := profile.ParseReset(l.words, l.seen, time.Local); ok {
			l.limit.Until = until
		}
		l.seen = time.Time{}
	}

	if !limited {
		return Limit{}
	}
	return l.limit
}

// Limit returns the limit that was seen last.
func (l *LimitTimer) Limit() Limit {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// Over reports whether a limit that is still shown has ended, and nothing was typed since.
func (l *LimitTimer) Over(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit.On && !l.limit.Until.IsZero() && !l.resumed && !now.Before(l.limit.Until.Add(limitMargin))
}

// Resume notes that something is typed after the end of the limit: what the program shows then
// counts.
func (l *LimitTimer) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resumed = true
}
