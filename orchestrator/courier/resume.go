package courier

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// abandon closes what was being typed to a terminal that is no more: it may have
// arrived or not, and is never typed again by itself.
func (o *Couriers) Abandon(ctx context.Context, m *team.Member, why string) error {
	jobs, err := o.Store.Typing(ctx, m.ID)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		change := store.Change{State: parley.DeliveryUnconfirmed, Reason: "typing had begun: " + why}
		if err := o.Store.Advance(ctx, job.Key, change); err != nil && !errors.Is(err, store.ErrStale) {
			return err
		}
	}
	return nil
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

	jobs, err := c.o.Store.Typing(ctx, c.m.ID)
	if err != nil {
		return err
	}

	c.open, c.openOn = false, nil
	ctx, cancel := unhurried(ctx)
	defer cancel()

	for _, job := range jobs {
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
	info, err := t.Pane.Info(ctx)
	if err != nil && !errors.Is(err, tmux.ErrNoPane) {
		return false, err
	}

	unconfirmed := func(format string, args ...any) (bool, error) {
		return true, c.close(
			ctx,
			job,
			store.Change{State: parley.DeliveryUnconfirmed, Reason: fmt.Sprintf(format, args...)},
		)
	}

	switch {
	case err != nil || info.Owner != c.m.ID:
		return unconfirmed("typing had begun: the terminal went away")
	case info.Seq < job.PaneSeq:
		return true, c.close(
			ctx,
			job,
			store.Change{State: parley.DeliveryQueued, Reason: "typing was interrupted before the paste"},
		)
	case info.Dead:
		return unconfirmed("typing had begun when its program ended")
	case info.Seq > job.PaneSeq:
		return unconfirmed("the terminal has had later messages")
	}

	l := compose(t.Profile, c.o.Roster.FillIn(&job.Message), c.m, c.o.ShortFooter)
	if info.Phase == "pasted" {
		return c.resume(ctx, t, job, l, "pasted; Enter waits: ")
	}
	if c.lingers == job.Key {
		return c.goOn(ctx, t, job, l)
	}

	return c.confirm(ctx, t, job, l)
}

// resume goes on at the key of a text that stands in the composer, once the way is free.
// Until then the delivery says why it waits, behind some words of its own.
func (c *courier) resume(
	ctx context.Context,
	t *team.Terminal,
	job store.Job,
	l letter,
	waits string,
) (done bool, err error) {
	w, o := c.gate(ctx, t, job)
	switch {
	case o == free:
	case o.draft: // ours, or shownTest and stuckTest find that it is not
		w.key = tmux.Key(t.Profile.Key)
	default:
		return false, c.note(ctx, job, waits+o.reason)
	}
	return c.submit(ctx, t, job, l, w, true)
}

// confirm looks whether an entered text was taken, without pressing anything.
func (c *courier) confirm(ctx context.Context, t *team.Terminal, job store.Job, l letter) (done bool, err error) {
	taken := c.takenTest(t, job, l, modeOf(t), job.Message.Timestamp)
	soon, cancel := context.WithTimeout(ctx, cmp.Or(t.Profile.TakenWithin, brisk))
	defer cancel()

	look := tmux.Wait
	var screen tmux.Screen
	err = wait.Until(soon, brisk, func() (_ bool, err error) {
		if screen, err = t.Pane.Screen(soon, tmux.ScreenOptions{}); err == nil {
			look = taken(screen)
		}
		return look != tmux.Wait || t.Profile.Look(screen.Lines) == profile.Dialog, err
	})
	if err != nil && soon.Err() == nil {
		return false, err // it could not be looked at
	}
	if look == tmux.Yes {
		return c.conclude(ctx, t, job, way{}, tmux.Outcome{Phase: tmux.Taken}, nil)
	}

	return c.conclude(
		ctx,
		t,
		job,
		way{},
		tmux.Outcome{Phase: tmux.Entered, Reason: tmux.NotTaken, Screen: screen.Lines},
		nil,
	)
}

// proveLate looks whether a program has read by now what it had not when the
// delivery was closed as unconfirmed.
func (c *courier) proveLate(ctx context.Context) error {
	t := c.m.Terminal()
	if len(c.unproven) == 0 || t == nil {
		c.unproven = nil
		return nil
	}

	n, err := tmux.Unread(t.TTY)
	if !tmux.Alive(t.PID) { // what it had not read went with it, and its terminal's name may be another's
		c.unproven = nil
		return nil
	}

	if err != nil || n > 0 {
		return nil
	}

	entered := c.unproven
	c.unproven = nil
	for _, u := range entered {
		if u.on != t || u.mode != modeOf(t) {
			continue // it may have been dropped with the change
		}

		change := store.Change{State: parley.DeliverySubmitted, Evidence: "its program read it from the terminal later"}
		if err := c.o.Store.Advance(ctx, u.key, change); err != nil && !errors.Is(err, store.ErrStale) {
			return err
		}
	}

	return nil
}
