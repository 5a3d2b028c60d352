package orchestrator

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

// readopt finds the agents that still run, by the identity on their panes. Those
// that should run and do not are lost; panes of agents that were stopped are ended.
func (o *Orchestrator) readopt(ctx context.Context) error {
	panes, err := o.tmux.Panes(ctx)
	if err != nil {
		return tmuxError(err)
	}

	for _, info := range panes {
		m := o.roster.ByID(info.Owner)
		if m == nil || m.Kind != parley.KindTerminal {
			continue
		}
		if a := m.Agent(); a.Adopted() {
			continue
		}
		if err := o.takeBack(ctx, m, info); err != nil {
			return err
		}
	}

	o.rejoin(ctx)
	for _, m := range o.roster.All() {
		if m.Kind == parley.KindTerminal && m.Terminal() == nil && m.Agent().State != parley.StateTerminated {
			if err := o.lose(ctx, m, "its terminal was gone when the daemon started"); err != nil {
				return err
			}
		}
	}

	return nil
}

func (o *Orchestrator) takeBack(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	a := m.Agent()
	p, err := o.profileOf(m, a)
	if err != nil {
		return err
	}

	m.SetTerminal(team.NewTerminal(o.tmux, p, info))
	if a.State == parley.StateTerminated { // a crash came between the end of its record and of its processes
		_, err := o.end(ctx, m, a.Evidence)
		return err
	}

	return nil
}

func (o *Orchestrator) profileOf(m *team.Member, a parley.Agent) (*profile.Profile, error) {
	p, err := o.opts.Profiles.Find(cmp.Or(a.Profile, "generic"))
	if err != nil {
		o.log.Warn("a running agent's profile is gone; taking generic", "agent", m.Name, "profile", a.Profile)
		p, err = o.opts.Profiles.Find("generic")
	}
	return p, err
}

// lose records that an agent's terminal went away under it. Its messages wait.
func (o *Orchestrator) lose(ctx context.Context, m *team.Member, why string) error {
	m.SetTerminal(nil)
	if err := o.abandon(ctx, m, why); err != nil {
		return err
	}
	return o.roster.SetState(ctx, m, parley.StateUnreachable, why, nil)
}

// abandon closes what was being typed to a terminal that is no more: it may have
// arrived or not, and is never typed again by itself.
func (o *Orchestrator) abandon(ctx context.Context, m *team.Member, why string) error {
	jobs, err := o.store.Typing(ctx, m.ID)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		change := store.Change{State: parley.DeliveryUnconfirmed, Reason: "typing had begun: " + why}
		if err := o.store.Advance(ctx, job.Key, change); err != nil && !errors.Is(err, store.ErrStale) {
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
		if err := c.o.abandon(ctx, c.m, "the terminal went away"); err != nil {
			return err
		}
		c.open, c.openOn = false, nil
		return nil
	}

	jobs, err := c.o.store.Typing(ctx, c.m.ID)
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

	l := compose(t.Profile, c.o.roster.FillIn(&job.Message), c.m, c.o.opts.Settings.ShortFooter)
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
		if err := c.o.store.Advance(ctx, u.key, change); err != nil && !errors.Is(err, store.ErrStale) {
			return err
		}
	}

	return nil
}
