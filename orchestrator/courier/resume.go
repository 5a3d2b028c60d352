package courier

import (
	"cmp"
	"context"
	"errors"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// Abandon closes the deliveries that were being typed to a terminal that is gone. They may
// have arrived or not, and are not typed again unless the operator asks for it. One that nobody
// has begun to type is queued again.
func (o *Couriers) Abandon(ctx context.Context, m *team.Member, why string) error {
	if !o.Roster.Here(m) {
		return nil
	}
	unbegun := m.Offers.Drop()
	jobs, err := o.Store.Typing(ctx, m.ID)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if err := ignoreStale(o.Store.Advance(ctx, job.Key, abandoned(m, &job, why, unbegun)...)); err != nil {
			return err
		}
	}
	return nil
}

// abandoned returns what becomes of a delivery at typing when its terminal is gone. unbegun says that
// nobody has begun to type it.
func abandoned(m *team.Member, job *store.Job, why string, unbegun bool) []store.Change {
	if unbegun {
		return []store.Change{ended(parley.DeliveryQueued, parley.EndedInterrupted, "")}
	}
	return lost(m, job, why)
}

// settleOpen resolves deliveries that were left in `typing`, by what the pane
// itself remembers.
func (c *courier) settleOpen(ctx context.Context) error {
	c.m.Typing.Lock()
	defer c.m.Typing.Unlock()

	t := c.m.Terminal()
	if t == nil || c.openOn != nil && c.openOn != t {
		if err := c.o.Abandon(ctx, c.m, "the terminal went away"); err != nil {
			return err
		}
		c.open, c.openOn = false, nil
		return nil
	}

	if !c.numbered {
		_ = c.o.releaseKeys(ctx, &c.memory, t) // the look before the next message tries again
	}

	jobs, err := c.o.Store.Typing(ctx, c.m.ID)
	if err != nil {
		return err
	}

	c.open, c.openOn = false, nil
	ctx, cancel := unhurried(ctx)
	defer cancel()

	for _, job := range jobs {
		if job.Door {
			c.doors.restore(t, job)
			continue
		}
		c.open, c.openOn = true, t
		if _, err := c.resolve(ctx, t, job); err != nil {
			return err
		}
		if c.open {
			return nil
		}
	}

	return nil
}

// resolve takes up one delivery where it was left.
func (c *courier) resolve(ctx context.Context, t *team.Terminal, job store.Job) (done bool, err error) {
	info, err := c.o.host.Pane(t).Info(ctx)
	if err != nil && !errors.Is(err, tmux.ErrNoPane) {
		return false, err
	}

	switch {
	case err != nil || info.Owner != c.m.ID:
		return true, c.close(ctx, job, lost(c.m, &job, "the terminal went away")...)
	case info.Seq < job.PaneSeq:
		return true, c.close(ctx, job, ended(parley.DeliveryQueued, parley.EndedInterrupted, ""))
	case info.Dead:
		return true, c.close(ctx, job, lost(c.m, &job, "its program ended")...)
	case info.Seq > job.PaneSeq:
		return true, c.close(ctx, job, unseen(c.m, &job, parley.EndedOvertaken, "")...)
	}

	l := c.o.recompose(c.m, t.Profile, &job, size{info.Width, info.Height})
	switch {
	case info.Phase == tmux.PanePasted && !reportedSince(c.m, &job, job.Message.Timestamp):
		return c.resume(ctx, t, job, l, pastedAnd)
	case c.memory.lingers(&job):
		return c.goOn(ctx, t, job, l)
	}
	return c.confirm(ctx, t, job, l, info.Phase == tmux.PaneEnteredAgain)
}

// resume goes on at the key of a text that stands in the composer, once the way is free.
// Until then the delivery says why it waits.
func (c *courier) resume(
	ctx context.Context, t *team.Terminal, job store.Job, l letter, waits func(hold) hold,
) (done bool, err error) {
	w, h := c.ready(ctx, t, &job, c.o.Now())
	switch {
	case h.none():
	case h.composed(): // ours, or the attempt finds that it is not
		w.key = tmux.Key(t.Profile.Key)
	default:
		return false, c.note(ctx, job, waits(h))
	}
	return c.submit(ctx, t, job, c.newAttempt(t, &job, l, w, true))
}

// goOn goes on with a text that lingered where somebody typed: when it is gone from the
// composer, or the way is free for one more key.
func (c *courier) goOn(ctx context.Context, t *team.Terminal, job store.Job, l letter) (done bool, err error) {
	screen, err := c.o.host.Pane(t).Screen(ctx, tmux.ScreenOptions{})
	if err != nil {
		return false, err
	}

	a, o := c.newAttempt(t, &job, l, way{}, true), c.observe(t, &job, screen)
	if !o.holds(&l) && !o.hides() && a.seen(&o) && !a.text.doubted { // it may stand behind what hides the composer
		return c.conclude(ctx, t, job, a, tmux.Outcome{Phase: tmux.Taken}, nil)
	}
	return c.resume(ctx, t, job, l, func(h hold) hold {
		h.Reason = parley.HoldLingering.Words("") + ": " + h.Reason
		return h
	})
}

// confirm looks whether an entered text was taken. If it stands in the composer, it goes on with it
// there. again says that its key was pressed twice.
func (c *courier) confirm(
	ctx context.Context, t *team.Terminal, job store.Job, l letter, again bool,
) (done bool, err error) {
	a := c.newAttempt(t, &job, l, way{}, true)
	a.entered.unseen = true
	within := cmp.Or(t.Profile.TakenWithin, brisk) + t.Profile.RefusesWithin
	if !t.Profile.HasMarkers() {
		within += launchesOn
	}
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	taken, stop := false, false
	var screen tmux.Screen // at the last look that was answered
	err = wait.Until(soon, brisk, func() (bool, error) {
		seen, err := c.o.host.Pane(t).Screen(soon, tmux.ScreenOptions{})
		if err != nil {
			return false, err
		}

		screen = seen
		o := c.observe(t, &job, screen)
		a.noteUnread(&o)
		a.entered.noteElsewhere(&o)
		taken, stop = a.taken(&o)
		taken = taken && (!o.profile.HasMarkers() || a.seen(&o)) // nobody looked whether it was cleared away
		if !taken && !a.followed.pending() {
			return stop || o.shows == profile.Dialog, nil
		}

		step := a.followUp(&o)
		taken = step.Do == tmux.Done
		return step.Do != tmux.Wait, nil
	})
	if err != nil && soon.Err() == nil {
		return false, err // it could not be looked at
	}

	a.followed.refusal = cmp.Or(a.followed.refusal, t.Profile.RefusedBy(screen.Lines))
	if taken && a.followed.refusal == "" {
		return c.conclude(ctx, t, job, a, tmux.Outcome{Phase: tmux.Taken}, nil)
	}
	if o := c.observe(t, &job, screen); o.profile.HasMarkers() && o.holdsOnly(&l) && !stop {
		return c.resume(ctx, t, job, l, func(h hold) hold { // the key was lost
			h.Reason = parley.EndedStanding.Words("") + ": " + h.Reason
			return h
		})
	}
	out := tmux.Outcome{Phase: tmux.Entered, Reason: tmux.NotTaken, Screen: screen.Lines, Again: again}
	return c.conclude(ctx, t, job, a, out, nil)
}

// proveLate looks whether a program has read by now what it had not when the
// delivery was closed as unconfirmed.
func (c *courier) proveLate(ctx context.Context) error {
	t := c.m.Terminal()
	if len(c.unread) == 0 || t == nil {
		c.unread = nil
		return nil
	}

	n, err := c.o.host.Unread(t)
	if !c.o.host.Alive(t) { // what it had not read went with it, and its terminal's name may be another's
		c.unread = nil
		return nil
	}

	if !t.Profile.HasMarkers() && c.unread[0].read.IsZero() {
		if asks, err := c.o.asks(ctx, t, &c.memory, &c.unread[0].letter); err != nil {
			return err
		} else if asks {
			c.unread = nil // that takes it as its answer
			return nil
		}
	}
	if err != nil || n > 0 {
		return nil
	}
	facts := c.inspect(t, c.o.Now())
	if !t.Profile.HasMarkers() && !facts.otherProgram().none() {
		c.unread = nil // that may have read it
		return nil
	}
	if facts.unmatched != nil && facts.unmatched() {
		return nil // it is a known program, and its profile will tell a draft from what it was given
	}

	for i := range c.unread {
		if u := c.unread[i]; u.read.IsZero() {
			u.read = c.o.Now()
		}
	}

	o := observation{now: c.o.Now(), on: t, profile: t.Profile, facts: facts}
	o.askWhoReads(c.o.host)
	taken := func(u *typed) keeping { return u.keeps(&c.memory, &o, o.now.Sub(u.read)) }
	if t.Profile.HasMarkers() {
		screen, err := c.o.host.Pane(t).Screen(ctx, tmux.ScreenOptions{})
		if err != nil {
			return err
		}
		taken = func(u *typed) keeping {
			switch {
			case !u.doubted && c.o.shownAbove(t, screen, u.letter.mark):
				return keepsOn
			case c.o.Now().Sub(u.read) < t.Profile.TakenWithin:
				return keepsYet
			}
			return keepsNot
		}
	}

	return c.proveRead(ctx, t, taken)
}

// proveRead records those of the unproven that were read and, where a key can be lost, are shown as taken, or else were
// read by what keeps the terminal. Others get some more time to show.
func (c *courier) proveRead(ctx context.Context, t *team.Terminal, taken func(*typed) keeping) error {
	entered := c.unread
	c.unread = nil
	for _, u := range entered {
		if u.on != t || u.mode != ttyModeOf(c.o.host, t) {
			continue // it may have been dropped with the change
		}
		switch taken(u) {
		case keepsYet:
			c.unread = append(c.unread, u)
			continue
		case keepsNot, keepsLost:
			continue
		}

		late := store.Change{
			State:    parley.DeliverySubmitted,
			Evidence: "its program took it from the terminal later; nothing more is known of this program",
			Code:     parley.ProofRead,
		}
		if err := c.o.Store.Advance(ctx, u.Key, late); err != nil && !errors.Is(err, store.ErrStale) {
			return err
		}
	}

	return nil
}

// shownAbove reports whether a text stands on the screen and not in the composer.
func (o *Couriers) shownAbove(t *team.Terminal, screen tmux.Screen, mark string) bool {
	seen := look(o.host, o.readings, t, o.Now(), screen)
	_, above := profile.Behind(screen.Lines, mark)
	return above && seen.Composing && !profile.Holds(seen.Composer, mark)
}
