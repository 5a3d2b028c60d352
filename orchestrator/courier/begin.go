package courier

import (
	"time"

	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// A program that was just given a message looks idle for a while, and what is typed then
// would go into its work. Nor does a composer that was emptied prove that the program has
// the text: Gemini CLI drops what is submitted while it is about to begin upon something
// else. So the next message waits until the program has begun upon the last: by its own
// report where it makes one, since it may have queued the text, and by its screen elsewhere.

// latest is the message that was entered last.
type latest struct {
	on      *team.Terminal
	entered time.Time // zero: by a daemon before this one

	// unreported is set while the program, which reports the prompts that it is given,
	// has not reported this one.
	unreported bool
	job        store.Job
	typed      time.Time // a report of it comes after that
	idle       time.Time // the program has looked idle since then; zero: it does not
}

// beginsWithin is how many times a profile's quiet a program may take to show that it
// works upon what was entered. A busy machine's took 1 s, twice the quiet of them all.
const beginsWithin = 4

// give remembers a message that was entered.
func (c *courier) give(t *team.Terminal, job store.Job, out tmux.Outcome) {
	typed := lastOf(out.PastedAt, job.Message.Timestamp)
	c.given = latest{on: t, entered: out.EnteredAt, job: job, typed: typed,
		unreported: out.Phase == tmux.Taken && c.reports(t) && !reportedSince(c.m, job, typed)}
}

// beginning stands in the way of a program that has not begun upon what it was given
// last, as far as the screen, which shows s, and its own report can tell.
func (c *courier) beginning(t *team.Terminal, s Standing, said team.Report, o obstacle) obstacle {
	unreported := c.unreported(t, o == free)
	g, now := &c.given, c.o.Now()
	shown := said.At.After(g.entered) || now.Add(-s.Steady).After(g.entered) // that it has done anything since
	switch {
	case o != free:
		return o
	case unreported:
		return obstacle{reason: unbegun, brief: true}
	case g.on == t && !shown && now.Sub(g.entered) <= beginsWithin*t.Profile.Quiet:
		return obstacle{reason: unbegun, brief: true, work: true}
	}
	return free
}

const unbegun = "it has not begun upon what it was given last"

// unreported reports whether the message entered last may be on its way from the
// program's queue into a turn. A program that rests for long has begun, or has not got it.
func (c *courier) unreported(t *team.Terminal, looksIdle bool) bool {
	g, now := &c.given, c.o.Now()
	switch {
	case !g.unreported:
		return false
	case g.on != t, !c.reports(t), reportedSince(c.m, g.job, g.typed):
		g.unreported = false
		return false
	case !looksIdle:
		g.idle = time.Time{}
		return false
	case g.idle.IsZero():
		g.idle = now
	}

	if now.Sub(g.idle) < t.Profile.TakenWithin {
		return true
	}
	if !c.m.ReportsMessages() {
		c.mute = t
	}

	g.unreported = false

	return false
}

// reports tells whether a program is expected to say that it was given a message. One
// that never did, although it had time, is not: its user may have turned that off.
func (c *courier) reports(t *team.Terminal) bool {
	return t.Profile.HasMarkers() && t.Profile.Prompts() && (c.mute != t || c.m.ReportsMessages())
}

// begun says whether the turn that a text opens has begun, once that has left its
// composer. What goes into work waits for the end of that, and is not asked for.
func (c *courier) begun(t *team.Terminal, job store.Job, w way) func(tmux.Screen) bool {
	var since time.Time
	began := c.o.Now()
	return func(s tmux.Screen) bool {
		now := c.o.Now()
		switch {
		case w.note != "", reportedSince(c.m, job, began), looksOf(t.Profile, s) == profile.Busy, !c.reports(t):
			return true
		case since.IsZero():
			since = now
		}

		if c.m.ReportsMessages() || now.Sub(since) < t.Profile.TakenWithin {
			c.unsaid = job.Key
			return false
		}

		c.mute = t

		return true
	}
}
