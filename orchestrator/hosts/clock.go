package hosts

import (
	"context"
	"time"

	"parley/store"
)

const (
	// clockSlack is how far the wall clock may move ahead of the time that passes, as when it is set
	// by a second or two.
	clockSlack = time.Minute
	// believedAfter is how long a wall clock that has jumped ahead must stay there until what is old
	// by it is given up. A wrong clock is usually put right by then.
	believedAfter = time.Hour
)

// loaded is when this program was started.
var loaded = time.Now()

// cautiousClock tells the time to those who give up what is old. It follows the wall clock back at
// once, and ahead only with the time that passes: a jump ahead counts believedAfter later. Not safe
// for concurrent use.
type cautiousClock struct {
	wall   time.Time     // at the last look
	passed time.Duration // since some moment, at the last look
	ahead  time.Duration // how far the wall clock has jumped ahead
	since  time.Duration // when it did
}

// look returns the time to go by. passed is the time since some moment, by a clock that nobody sets.
func (c *cautiousClock) look(wall time.Time, passed time.Duration) time.Time {
	wall = wall.Round(0)
	if c.wall.IsZero() {
		c.wall, c.passed = wall, passed
	}

	jump := wall.Sub(c.wall) - (passed - c.passed)
	switch {
	case jump > clockSlack:
		c.ahead, c.since = c.ahead+jump, passed
	case jump < -clockSlack:
		c.ahead = max(0, c.ahead+jump)
	}
	c.wall, c.passed = wall, passed

	if passed-c.since >= believedAfter {
		c.ahead = 0
	}
	return wall.Add(-c.ahead)
}

// SeeClock returns a clock that has seen the newest event, before the daemon writes one: the wall clock may be wrong
// from the start.
func SeeClock(ctx context.Context, s *store.Store) (c cautiousClock, err error) {
	last, err := s.Events.List(ctx, store.EventQuery{Last: 1})
	if err == nil && len(last) > 0 {
		c.look(last[0].Time, timePassed())
	}
	return c, err
}
