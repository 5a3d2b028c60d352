package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	// statusPatience is how long the status of an ended program is waited for: tmux
	// may lose the signal that tells it, and is then told to look again.
	statusPatience = 3 * time.Second
)

// notice is told by tmux, from its reader.
func (ts *Terminals) notice(n tmux.Notification) {
	if n.Kind == tmux.Disconnected && !ts.ending.Load() {
		ts.log.Warn("the connection to tmux broke", "error", n.Err)
	}
	ts.lookSoon()
}

// lookSoon makes the watcher look now; it never blocks.
func (ts *Terminals) lookSoon() {
	select {
	case ts.look <- struct{}{}:
	default:
	}
}

// Watch keeps the agents' states true until ctx ends: it looks at the panes of every tmux
// server once for each Watch of the options, and when tmux or a caller says that something
// changed. One look at 200 panes costs tmux 2 to 5 ms.
func (ts *Terminals) Watch(ctx context.Context) {
	tick := time.NewTicker(ts.opts.Watch)
	defer tick.Stop()
	defer ts.watcher.looks.Wait()

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			ts.TakeSpool(ctx)
			ts.closeIdleServers()
			ts.watcher.lookAround(ctx)
		case <-ts.look:
			ts.watcher.lookAround(ctx)
		}
	}
}

// lookAround looks at every server, each in a goroutine of its own: one that hangs delays
// no other. A server whose last look has not ended is left out.
func (w *watcher) lookAround(ctx context.Context) {
	places := map[*tmux.Server]map[*team.Member]*team.Terminal{w.ts.tmux: {}}
	for _, m := range w.ts.roster.All() {
		switch t := m.Terminal(); {
		case t == nil && m.LacksTerminal():
			places[w.ts.tmux][m] = nil
		case t != nil && !t.Ended.Load():
			if places[t.Server] == nil {
				places[t.Server] = map[*team.Member]*team.Terminal{}
			}
			places[t.Server][m] = t
		}
	}

	for server, members := range places {
		if _, busy := w.looking.LoadOrStore(server, true); busy {
			continue
		}
		w.looks.Go(func() {
			defer w.looking.Delete(server)
			w.lookAt(ctx, server, members)
		})
	}
}

// lookAt compares what a server shows with what is believed. The members' terminals were
// there before its panes are listed, so they must be in that list.
func (w *watcher) lookAt(ctx context.Context, server *tmux.Server, members map[*team.Member]*team.Terminal) {
	own, within := server == w.ts.tmux, joinedTime
	if own {
		within = lookTime
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	panes, err := server.Panes(ctx)
	if err != nil && (own || !errors.Is(err, tmux.ErrNoServer)) { // it may be there still
		if !w.ts.ending.Load() {
			w.ts.log.Warn("look at the panes of a tmux server", "socket", server.SocketPath(), "error", err)
		}
		return
	}

	instance := server.Instance()
	for m, t := range members {
		at := slices.IndexFunc(panes, func(p tmux.PaneInfo) bool {
			return t != nil && p.Owner == m.ID && p.ID == t.Pane.ID()
		})
		there := at >= 0 && t.Instance == instance
		var info tmux.PaneInfo
		if there {
			info = panes[at]
		}

		if err := w.observeOn(ctx, m, t, info, there); err != nil && !w.ts.ending.Load() {
			w.ts.log.Error("observe", "agent", m.Name, "error", err)
		}
	}
}

// observeOn brings one agent's state up to date; in an adopted pane another program may
// have the terminal.
func (w *watcher) observeOn(
	ctx context.Context,
	m *team.Member,
	t *team.Terminal,
	info tmux.PaneInfo,
	there bool,
) error {
	if t != nil && t.Adopted() {
		return w.observeAdopted(ctx, m, t, info, there)
	}
	return w.observe(ctx, m, t, info, there)
}

// observe brings one agent's state up to date. Launches, stops and restarts of
// it are not disturbed.
func (w *watcher) observe(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, there bool) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t || t == nil && !m.LacksTerminal() {
		return nil
	}
	if !there {
		return w.ts.Lose(ctx, m, "its terminal is gone: tmux or the session was ended from outside")
	}

	moved := info.InMode != t.Info.InMode || info.InputOff != t.Info.InputOff
	t.Saw(info)
	if moved {
		m.Wake()
	}
	if info.Dead {
		return w.died(ctx, m, t, info)
	}
	if info.Resized {
		w.giveSizeBack(ctx, m, t, info)
	}

	state, evidence, err := w.stateOf(ctx, m, t, info)
	if err != nil || state == "" {
		return err
	}

	return w.ts.roster.SetState(ctx, m, state, evidence, nil)
}

// giveSizeBack ends what a person's terminal of another size did to the agent's, once
// that person has gone, between two messages. Its state is looked at whether this works
// or not.
func (w *watcher) giveSizeBack(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) {
	if !m.Typing.TryLock() {
		return // the next look comes soon
	}
	defer m.Typing.Unlock()
	err := t.Pane.Resize(ctx, info.LaunchWidth, info.LaunchHeight)
	if err != nil && !t.KeepsSize && !w.ts.ending.Load() {
		w.ts.log.Warn("give its terminal the size of its launch back", "agent", m.Name, "error", err)
	}
	t.KeepsSize = err != nil
}

func (w *watcher) died(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) error {
	if t.Dead.IsZero() {
		t.Dead = w.ts.now()
	}

	switch {
	case !info.ExitKnown && w.ts.now().Sub(t.Dead) < statusPatience:
		return nil
	case !info.ExitKnown:
		return w.ts.roster.SetState(ctx, m, parley.StateExited, "its program ended", nil)
	case info.Signal != "":
		return w.ts.roster.SetState(ctx, m, parley.StateExited, "its program was ended by signal "+info.Signal, nil)
	}

	return w.ts.roster.SetState(
		ctx,
		m,
		parley.StateExited,
		fmt.Sprintf("its program ended with status %d", info.ExitStatus),
		&info.ExitStatus,
	)
}

// stateOf reads the state off the screen. "" means that it stays what it is.
func (w *watcher) stateOf(
	ctx context.Context,
	m *team.Member,
	t *team.Terminal,
	info tmux.PaneInfo,
) (parley.AgentState, string, error) {
	now := w.ts.now()
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
