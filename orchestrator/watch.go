package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/courier"
	"parley/orchestrator/team"
	"parley/tmux"
)

const (
	// lookTime bounds one look at all panes, which takes milliseconds.
	lookTime = 10 * time.Second
	// answerTime bounds what a person asks of tmux, which takes milliseconds too.
	answerTime = 10 * time.Second
	// busyAfter is how long output must go on before a program without markers
	// counts as busy: an echo and a prompt are not work.
	busyAfter = 2 * time.Second
	// startPatience is how long an agent whose screen shows nothing known counts as
	// starting. The slowest of those tried took 17 s on a busy machine.
	startPatience = time.Minute
	// draftedAfter is how long a text must stand in a composer to be shown as a
	// draft: one that parley types stands there for some tenths of a second.
	draftedAfter = time.Second
	// choreTime is how often what is not urgent is done: expiry, last_active.
	choreTime = 30 * time.Second
	// statusPatience is how long the status of an ended program is waited for: tmux
	// may lose the signal that tells it, and is then told to look again.
	statusPatience = 3 * time.Second
)

// notice is told by tmux, from its reader.
func (o *Orchestrator) notice(n tmux.Notification) {
	if n.Kind == tmux.Disconnected && !o.ending.Load() {
		o.log.Warn("the connection to tmux broke", "error", n.Err)
	}
	o.lookSoon()
}

// lookSoon makes the watcher look now; it never blocks.
func (o *Orchestrator) lookSoon() {
	select {
	case o.look <- struct{}{}:
	default:
	}
}

// watch keeps the agents' states true: one look at all panes per second costs
// tmux 2 to 5 ms with 200 of them.
func (o *Orchestrator) watch() {
	tick, chores := time.NewTicker(o.opts.Settings.Watch), time.NewTicker(choreTime)
	defer tick.Stop()
	defer chores.Stop()

	for {
		select {
		case <-o.ctx.Done():
			return
		case <-chores.C:
			o.chores(o.ctx)
		case <-tick.C:
			o.lookAround(o.ctx)
		case <-o.look:
			o.lookAround(o.ctx)
		}
	}
}

// lookAround compares what tmux shows with what is believed.
func (o *Orchestrator) lookAround(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()

	// Whose terminal was there before the list is made must be in it.
	places := map[*team.Member]*team.Terminal{}
	for _, m := range o.roster.All() {
		t := m.Terminal()
		if t != nil && !t.Adopted() && !t.Ended.Load() || t == nil && m.LacksTerminal() {
			places[m] = t
		}
	}

	panes, err := o.tmux.Panes(ctx)
	if err != nil {
		if !o.ending.Load() {
			o.log.Warn("look at the panes", "error", err)
		}
		return
	}

	instance := o.tmux.Instance()
	owned := make(map[string]tmux.PaneInfo, len(panes))
	for _, p := range panes {
		if p.Owner != "" {
			owned[p.Owner] = p
		}
	}

	for m, t := range places {
		info, found := owned[m.ID]
		there := found && t != nil && t.Instance == instance && info.ID == t.Pane.ID()
		if err := o.observe(ctx, m, t, info, there); err != nil && o.ctx.Err() == nil {
			o.log.Error("observe", "agent", m.Name, "error", err)
		}
	}
}

// observe brings one agent's state up to date. Launches, stops and restarts of
// it are not disturbed.
func (o *Orchestrator) observe(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, there bool) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t || t == nil && !m.LacksTerminal() {
		return nil
	}
	if !there {
		return o.lose(ctx, m, "its terminal is gone: tmux or the session was ended from outside")
	}

	moved := info.InMode != t.Info.InMode || info.InputOff != t.Info.InputOff
	t.Saw(info)
	if moved {
		m.Wake()
	}
	if info.Dead {
		return o.died(ctx, m, t, info)
	}
	if info.Resized {
		o.giveSizeBack(ctx, m, t, info)
	}

	state, evidence, err := o.stateOf(ctx, m, t, info)
	if err != nil || state == "" {
		return err
	}

	return o.roster.SetState(ctx, m, state, evidence, nil)
}

// giveSizeBack ends what a person's terminal of another size did to the agent's, once
// that person has gone, between two messages. Its state is looked at whether this works
// or not.
func (o *Orchestrator) giveSizeBack(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) {
	if !m.Typing.TryLock() {
		return // the next look comes soon
	}
	defer m.Typing.Unlock()
	err := t.Pane.Resize(ctx, info.LaunchWidth, info.LaunchHeight)
	if err != nil && !t.KeepsSize && o.ctx.Err() == nil {
		o.log.Warn("give its terminal the size of its launch back", "agent", m.Name, "error", err)
	}
	t.KeepsSize = err != nil
}

func (o *Orchestrator) died(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) error {
	if t.Dead.IsZero() {
		t.Dead = o.now()
	}

	switch {
	case !info.ExitKnown && o.now().Sub(t.Dead) < statusPatience:
		return nil
	case !info.ExitKnown:
		return o.roster.SetState(ctx, m, parley.StateExited, "its program ended", nil)
	case info.Signal != "":
		return o.roster.SetState(ctx, m, parley.StateExited, "its program was ended by signal "+info.Signal, nil)
	}

	return o.roster.SetState(
		ctx,
		m,
		parley.StateExited,
		fmt.Sprintf("its program ended with status %d", info.ExitStatus),
		&info.ExitStatus,
	)
}

// stateOf reads the state off the screen. "" means that it stays what it is.
func (o *Orchestrator) stateOf(
	ctx context.Context,
	m *team.Member,
	t *team.Terminal,
	info tmux.PaneInfo,
) (parley.AgentState, string, error) {
	now := o.now()
	if now.Sub(info.Activity) > 2*time.Second+max(t.Profile.Quiet, courier.SteadyAfter) && info.Activity == t.Read &&
		m.Agent().State == parley.StateIdle {
		return "", "", nil // nothing was written since the last look, and it was idle then
	}

	screen, err := t.Pane.Screen(ctx, tmux.ScreenOptions{})
	if err != nil {
		return "", "", err
	}

	t.Read = info.Activity
	quiet := now.Sub(t.Still.Since(now, screen))
	if t.Profile.HasMarkers() {
		said, _ := m.LastReport()
		s := courier.ReadStanding(t, now, screen, said)
		starting := m.Agent().State == parley.StateStarting && now.Sub(t.Started) < startPatience
		if s.State == parley.StateUnknown && (starting || s.Steady < courier.SteadyAfter) || s.State == parley.StateStarting {
			return "", "", nil // it may be drawing
		}

		if s.State != parley.StateDrafting {
			t.Drafted = time.Time{}
		} else if t.Drafted.IsZero() {
			t.Drafted = now
		}

		if s.State == parley.StateDrafting && now.Sub(t.Drafted) < draftedAfter {
			return "", "", nil // it may be a message that is just being typed
		}

		return s.State, s.Evidence, nil
	}

	if quiet >= t.Profile.Quiet {
		t.Loud = time.Time{}
		return parley.StateIdle, "its terminal is quiet", nil
	}

	if t.Loud.IsZero() {
		t.Loud = now
	}
	if now.Sub(t.Loud) >= busyAfter && m.Agent().State != parley.StateStarting {
		return parley.StateBusy, "its terminal shows output all the time", nil
	}

	return "", "", nil
}

// chores does what is not urgent.
func (o *Orchestrator) chores(ctx context.Context) {
	if _, err := o.store.Expire(ctx, o.now().Add(-o.opts.Settings.ExpireAfter)); err != nil && ctx.Err() == nil {
		o.log.Error("expire deliveries", "error", err)
	}

	o.sweep()
	seen := o.roster.TakeSeen()
	if err := errors.Join(o.store.TouchAgents(ctx, seen), o.store.TouchKeys(ctx, o.roster.Keys.TakeUsed())); err != nil &&
		ctx.Err() == nil {
		o.log.Error("note who was seen", "error", err)
	}
}
