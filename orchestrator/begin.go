package orchestrator

import (
	"time"

	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// A composer that was emptied does not prove that the program has the text: Gemini CLI
// drops what is submitted while it is about to begin upon something else, which its
// screen does not show. So where a program reports the prompts that it is given, the
// turn that a message opens must have begun before the next is typed.

// unreported is a message that left the composer and that the program has not reported yet:
// it may be in its queue.
type unreported struct {
	job   store.Job
	on    *terminal
	typed time.Time // a report of it comes after that
	idle  time.Time // its program has looked idle since then; zero: it does not
}

// reports tells whether a program is expected to say that it was given a message. One
// that never did, although it had time, is not: its user may have turned that off.
func (c *courier) reports(t *terminal) bool {
	return t.profile.HasMarkers() && t.profile.Prompts() && (c.mute != t || c.m.hasNamed())
}

// begun says whether the turn that a text opens has begun, once that has left its
// composer. What goes into work waits for the end of that, and is not asked for.
func (c *courier) begun(t *terminal, job store.Job, w way) func(tmux.Screen) bool {
	var since time.Time
	began := c.o.now()
	return func(s tmux.Screen) bool {
		now := c.o.now()
		switch {
		case w.note != "", c.m.named(job, began), looksOf(t.profile, s) == profile.Busy, !c.reports(t):
			return true
		case since.IsZero():
			since = now
		}
		if c.m.hasNamed() || now.Sub(since) < t.profile.TakenWithin {
			c.unsaid = job.Key
			return false
		}
		c.mute = t
		return true
	}
}

// dequeues reports whether the message typed last may be on its way from the program's
// queue into a turn. A program that rests for long has begun, or has not got it.
func (c *courier) dequeues(t *terminal, looksIdle bool) bool {
	u, now := &c.queued, c.o.now()
	switch {
	case u.on == nil:
		return false
	case u.on != t, !c.reports(t), c.m.named(u.job, u.typed):
		c.queued = unreported{}
		return false
	case !looksIdle:
		u.idle = time.Time{}
		return false
	case u.idle.IsZero():
		u.idle = now
	}
	if now.Sub(u.idle) < t.profile.TakenWithin {
		return true
	}
	if !c.m.hasNamed() {
		c.mute = t
	}
	c.queued = unreported{}
	return false
}

// took remembers a message that left the composer, unless the program has reported it.
func (c *courier) took(t *terminal, job store.Job, out tmux.Outcome) {
	typed := lastOf(out.PastedAt, job.Message.Timestamp)
	if c.reports(t) && !c.m.named(job, typed) {
		c.queued = unreported{job: job, on: t, typed: typed}
	}
}

// hasNamed reports whether the program, since it was launched, has named any message
// that it was given.
func (m *member) hasNamed() bool {
	m.reports.mu.Lock()
	defer m.reports.mu.Unlock()
	return len(m.reports.named) > 0
}
