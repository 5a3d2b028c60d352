package courier

import (
	"context"
	"time"

	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// A program can lose the key that submits, or take it for a line break. While nobody is
// there one more does no harm (see stuckTest). Where a person has typed meanwhile, theirs
// would go with ours: then the text lingers in the composer until they have left.

const lingers = "entered, but it still stands in its composer, where someone has typed"

// watch lets a submission know a text that lingers. What it returns reports whether it
// did when the screen was last looked at.
func (c *courier) watch(sub *tmux.Submission, t *team.Terminal, job store.Job, l letter, w way) (lingering func() bool) {
	p, taken, stuck := t.Profile, sub.Taken, sub.Stuck
	long, now := c.lingers == job.Key, false
	var entered time.Time
	sub.Taken = func(s tmux.Screen) tmux.Look {
		at := c.o.Now()
		if entered.IsZero() {
			entered = at
		}

		touched := !w.since.IsZero() && s.Touched.Unix() >= w.since.Unix()
		now = holds(p, s, l) && (touched || !holdsOnly(p, s, l))
		long = long || now && at.Sub(entered) >= p.TakenWithin
		found := taken(s)
		if found == tmux.Yes && long && !c.seen(job, l, s) {
			return tmux.Wait
		}

		return found
	}

	sub.Stuck = func(s tmux.Screen) bool {
		alone := stuck(s)
		long = long && !alone // the key that comes now is followed as the first was
		return alone
	}

	return func() bool { return now }
}

// seen reports whether a text that lingered was submitted, given a screen whose composer
// does not hold it: it may have been cleared away there.
func (c *courier) seen(job store.Job, l letter, s tmux.Screen) bool {
	_, above := profile.Behind(s.Lines, l.mark)
	return above || reportedSince(c.m, job, job.Message.Timestamp)
}

// linger leaves a delivery open whose text lingers.
func (c *courier) linger(ctx context.Context, job store.Job) error {
	c.lingers, c.cautious = job.Key, false
	return c.note(ctx, job, lingers)
}

// goOn goes on with a text that lingered: when it is gone from the composer, or the way
// is free for one more key.
func (c *courier) goOn(ctx context.Context, t *team.Terminal, job store.Job, l letter) (done bool, err error) {
	screen, err := t.Pane.Screen(ctx, tmux.ScreenOptions{})
	if err != nil {
		return false, err
	}
	if !holds(t.Profile, screen, l) && c.seen(job, l, screen) {
		return c.conclude(ctx, t, job, way{}, tmux.Outcome{Phase: tmux.Taken}, nil)
	}
	return c.resume(ctx, t, job, l, lingers+": ")
}
