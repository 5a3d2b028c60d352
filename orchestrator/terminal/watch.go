package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/tmux"
)

const (
	// lookTime bounds one look at all panes, which takes milliseconds.
	lookTime = 10 * time.Second
	// answerTime bounds a call to tmux that a person waits for, which takes milliseconds too.
	answerTime = 10 * time.Second
	// busyAfter is how long output must go on before a program without markers counts as busy: an
	// echo and a prompt are not work.
	busyAfter = 2 * time.Second
	// startPatience is how long an agent with an unknown screen counts as starting, unless that screen rests
	// for restPatience. The slowest of the tried programs took 17 s on a busy machine.
	startPatience = 15 * time.Second
	restPatience  = 5 * time.Second
	// draftedAfter is how long a text must stand in a composer before it counts as a draft: one that
	// parley types stands there for some tenths of a second.
	draftedAfter = time.Second
	// statusPatience bounds the wait for the exit status of a program: tmux may lose the signal that
	// tells it, and is then told to look again.
	statusPatience = 3 * time.Second
)

// notice takes a notification of tmux. It is called by the goroutine that reads from tmux, and never
// blocks.
func (w *watcher) notice(n tmux.Notification) {
	if n.Kind == tmux.Disconnected && !w.ts.ending.Load() {
		w.ts.log.Warn("the connection to tmux broke", "error", n.Err)
	}
	w.lookSoon()
}

// lookSoon makes the watcher look now; it never blocks.
func (w *watcher) lookSoon() {
	select {
	case w.look <- struct{}{}:
	default:
	}
}

// Watch keeps the agents' states up to date until ctx ends: it looks at the panes of every tmux server
// once per Options.Watch, and when tmux or a caller says that something has changed. It also takes
// spooled reports and closes idle servers. One look at 200 panes costs tmux 2 to 5 ms.
func (ts *Terminals) Watch(ctx context.Context) {
	tick := time.NewTicker(ts.opts.Watch)
	defer tick.Stop()
	defer ts.watcher.looks.Wait()

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			ts.spool.take(ctx)
			if err := ts.userServers.closeUnused(false); err != nil {
				ts.log.Warn("let go of a tmux server", "error", err)
			}
			ts.watcher.lookAround(ctx)
		case <-ts.watcher.look:
			ts.watcher.lookAround(ctx)
		}
	}
}

// lookAround looks at every server, each in a separate goroutine, so that one that hangs delays no
// other. It skips a server whose last look has not ended.
func (w *watcher) lookAround(ctx context.Context) {
	byServer := map[*tmux.Server]map[*team.Member]*team.Terminal{w.ts.tmux: {}}
	for _, m := range w.ts.roster.All() {
		switch t := m.Terminal(); {
		case t == nil && m.NeedsTerminal() && w.ts.roster.Hosts.Here(m):
			byServer[w.ts.tmux][m] = nil
		case t != nil && !t.Stopping.Load():
			if byServer[t.Server] == nil {
				byServer[t.Server] = map[*team.Member]*team.Terminal{}
			}
			byServer[t.Server][m] = t
		}
	}

	for server, members := range byServer {
		if _, busy := w.looking.LoadOrStore(server, true); busy {
			continue
		}
		w.looks.Go(func() {
			defer w.looking.Delete(server)
			w.lookAt(ctx, server, members)
		})
	}
}

// tell logs that an agent cannot be observed, once while that is for the same reason.
func (w *watcher) tell(m *team.Member, err error) {
	if err == nil {
		w.failing.Delete(m.ID)
		return
	}
	if was, _ := w.failing.Swap(m.ID, err.Error()); was != err.Error() && !w.ts.ending.Load() {
		w.ts.log.Error("observe", "agent", m.Name, "error", err)
	}
}

// lookAt lists the panes of a server and brings the states of its members up to date. The members got
// their terminals before the panes are listed, so a terminal that is not in the list is gone.
func (w *watcher) lookAt(ctx context.Context, server *tmux.Server, members map[*team.Member]*team.Terminal) {
	own, within := server == w.ts.tmux, userLookTime
	if own {
		within = lookTime
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()

	before := server.Instance()
	panes, err := server.Panes(ctx)
	if err != nil && (own || !errors.Is(err, tmux.ErrNoServer)) { // its panes may still exist
		if !w.ts.ending.Load() {
			w.ts.log.Warn("look at the panes of a tmux server", "socket", server.SocketPath(), "error", err)
		}
		return
	}

	instance := server.Instance()
	if err == nil && (instance == "" || instance != before) {
		w.lookSoon() // the connection broke: whose panes these are is not known
		return
	}

	for m, t := range members {
		at := slices.IndexFunc(panes, func(p tmux.PaneInfo) bool {
			return t != nil && p.Owner == m.ID && p.ID == t.Pane.ID()
		})
		there := at >= 0 && t.Instance == instance
		var info tmux.PaneInfo
		if there {
			info = panes[at]
		}

		w.tell(m, w.observeOn(ctx, m, t, info, there))
	}

	if own && w.ts.opts.Tmux.View.Status {
		w.showBars(ctx, members)
	}
}

// observeOn brings one agent's state up to date. Its pane exists if there is true, and info describes
// it then.
func (w *watcher) observeOn(
	ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, there bool,
) error {
	if t != nil && t.Adopted() {
		return w.observeAdopted(ctx, m, t, info, there)
	}
	return w.observe(ctx, m, t, info, there)
}

// observe brings one agent's state up to date, whose program has the terminal. It does nothing while
// the agent is being launched, stopped or restarted.
func (w *watcher) observe(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo, there bool) error {
	if !m.Changing.TryLock() {
		return nil
	}
	defer m.Changing.Unlock()

	if m.Terminal() != t || t == nil && !m.NeedsTerminal() {
		return nil
	}
	if !there {
		return w.lose(ctx, m, "its terminal is gone: tmux or the session was ended from outside")
	}

	moved := info.InMode != t.Info.InMode || info.InputOff != t.Info.InputOff
	t.SetInfo(info)
	if moved {
		m.Wake()
	}
	if info.Dead {
		return w.observeDead(ctx, m, t, info)
	}
	if info.Resized && !isRedrawing(t, info, w.ts.now()) {
		w.giveSizeBack(ctx, m, t, info)
	}

	t = w.retype(m, w.recognise(m, t, info), info)
	if err := w.followSession(ctx, m, t, info); err != nil {
		return err
	}

	state, evidence, err := w.stateOf(ctx, m, t, info)
	if err == nil && t.Redraws.Due(w.ts.now(), state, w.ts.opts.RedrawAfter) {
		w.redraw(ctx, m, t, info)
	}
	if err != nil || state == "" {
		return err
	}

	return w.ts.roster.Records.SetState(ctx, m, state, evidence, nil)
}

// giveSizeBack restores the size that a pane had at its launch, after a person with a terminal of
// another size has left it, and after a redraw. It waits until the courier types no message. Failures are logged once:
// the state of the agent is observed in any case.
func (w *watcher) giveSizeBack(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) {
	if !m.Typing.TryLock() {
		return // the next look tries again
	}
	defer m.Typing.Unlock()

	err := t.Pane.Resize(ctx, info.LaunchWidth, info.LaunchHeight)
	if err != nil && !t.ResizeFailed && !w.ts.ending.Load() {
		w.ts.log.Warn("give its terminal the size of its launch back", "agent", m.Name, "error", err)
	}
	t.ResizeFailed = err != nil
}

// observeDead records that the program of a dead pane has ended, once its exit status is known or
// statusPatience has passed.
func (w *watcher) observeDead(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) error {
	if t.DeadSince.IsZero() {
		t.DeadSince = w.ts.now()
	}

	if !info.ExitKnown && w.ts.now().Sub(t.DeadSince) < statusPatience {
		return nil
	}

	evidence, exit := endOf(info)
	refused, err := w.refusesSession(ctx, m, t, exit == nil || *exit != 0)
	if err != nil {
		return err
	}
	if refused {
		evidence = "it did not continue its conversation: " + evidence
	}

	return w.ts.roster.Records.SetState(ctx, m, parley.StateExited, evidence, exit)
}

// endOf says how the program of a dead pane ended, with its exit status if it has one.
func endOf(info tmux.PaneInfo) (evidence string, exit *int) {
	switch {
	case !info.ExitKnown:
		return "its program ended", nil
	case info.Signal != "":
		return "its program was ended by signal " + info.Signal, nil
	}
	return fmt.Sprintf("its program ended with status %d", info.ExitStatus), &info.ExitStatus
}

// stateOf reads an agent's state off its screen, and returns it with its evidence. "" means that the
// state has not changed.
func (w *watcher) stateOf(
	ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo,
) (parley.AgentState, string, error) {
	now := w.ts.now()
	quietFor := now.Sub(info.Activity)
	hides := !t.Profile.HasMarkers() && sight.HidesInput(t) // which needs no output
	if quietFor > 2*time.Second+max(t.Profile.Quiet, t.Profile.Still, sight.SteadyAfter) &&
		info.Activity == t.LastRead && m.Agent().State == parley.StateIdle && !hides {
		return "", "", nil // nothing was written since the last look, and it was idle then
	}

	screen, err := sight.ReadScreen(ctx, t)
	if err != nil {
		return "", "", err
	}

	t.LastRead = info.Activity
	quiet := now.Sub(t.Still.Since(now, screen))
	if t.Profile.HasMarkers() {
		said, _ := m.LastReport()
		s := sight.ReadStanding(t, now, screen, said)
		rests := quiet >= restPatience && strings.TrimSpace(screen.Text()) != ""
		starting := m.Agent().State == parley.StateStarting && now.Sub(t.Started) < startPatience && !rests
		unsettled := s.State == parley.StateUnknown && (starting || s.Steady < sight.SteadyAfter)
		if s.State == parley.StateStarting && now.Sub(t.Started) >= sight.SteadyAfter {
			if words := sight.Suspended(t); words != "" {
				return parley.StateBlocked, words, nil
			}
		}
		if unsettled || s.State == parley.StateStarting {
			return "", "", nil // it may be drawing
		}
		if s.State == parley.StateUnknown && t.Profile.Markers.Busy == "" {
			if r := sight.ReadQuiet(t, screen); r.State == parley.StateBusy {
				s.State, s.Evidence = r.State, r.Evidence
			}
		}
		if s.State == parley.StateUnknown {
			s.State, s.Evidence = w.saidElsewhere(ctx, m, t, s)
		}

		if s.State != parley.StateDrafting {
			t.DraftSince = time.Time{}
		} else if t.DraftSince.IsZero() {
			t.DraftSince = now
		}

		if s.State == parley.StateDrafting && now.Sub(t.DraftSince) < draftedAfter {
			return "", "", nil // it may be a message that is just being typed
		}

		// Of a program of which no marker tells that it works, what moves does.
		moves := s.State == parley.StateIdle || s.State == parley.StateUnknown && t.Profile.Markers.Busy == ""
		if moves && quiet < min(t.Profile.Still, time.Second) {
			return w.loud(m, t, now)
		}
		t.LoudSince = time.Time{}
		if moves && quiet < t.Profile.Still {
			return "", "", nil // a person's key moves it too
		}

		return s.State, s.Evidence, nil
	}

	if quiet >= t.Profile.Quiet {
		return w.quietState(ctx, m, t, screen, quiet)
	}

	return w.loud(m, t, now)
}

// saidElsewhere returns the state of an agent whose screen tells nothing: the program may say by its own door what
// it does. That it rests is not taken from there, since then a message would be typed into what nobody knows.
func (w *watcher) saidElsewhere(
	ctx context.Context, m *team.Member, t *team.Terminal, s sight.Standing,
) (parley.AgentState, string) {
	if w.ts.opts.Does == nil {
		return s.State, s.Evidence
	}
	switch now := w.ts.opts.Does(ctx, m, t); {
	case now.Asks:
		return parley.StateWaiting, now.Evidence
	case now.Works:
		return parley.StateBusy, now.Evidence
	}
	return s.State, s.Evidence
}

// loud returns the state of an agent of which only output tells that it works, and that has just written some.
func (w *watcher) loud(m *team.Member, t *team.Terminal, now time.Time) (parley.AgentState, string, error) {
	if t.LoudSince.IsZero() {
		t.LoudSince = now
	}
	if now.Sub(t.LoudSince) >= busyAfter && m.Agent().State != parley.StateStarting {
		return parley.StateBusy, "its terminal shows output all the time", nil
	}

	return "", "", nil
}

// quietState returns the state of an agent without markers whose terminal has been quiet for so long.
func (w *watcher) quietState(
	ctx context.Context, m *team.Member, t *team.Terminal, screen tmux.Screen, quiet time.Duration,
) (parley.AgentState, string, error) {
	r := sight.ReadQuiet(t, screen)
	if err := t.KeepWord(ctx, r.Reader); err != nil {
		return "", "", err
	}
	starting := m.Agent().State == parley.StateStarting && w.ts.now().Sub(t.Started) < startPatience
	if !r.Sure && quiet < sight.SteadyAfter || r.State == parley.StateBusy && starting {
		return "", "", nil
	}
	t.LoudSince = time.Time{}
	return r.State, r.Evidence, nil
}
