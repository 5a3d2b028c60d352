package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
	"parley/tmux"
)

// terminalMember resolves the name of an agent whose kind has a terminal, though it may have none now.
// The error is INVALID_ARGUMENT for another kind.
func (ts *Terminals) terminalMember(ref string) (*team.Member, error) {
	m, err := ts.roster.Find(ref)
	if err != nil {
		return nil, err
	}
	if m.Kind != parley.KindTerminal {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a %s, it has no terminal", m.Name, m.Agent().Kind).
			Suggest("Name an agent that was launched; get_agent_status lists them.")
	}
	return m, ts.roster.Hosts.RefuseElsewhere(m, "parley attach "+m.Name)
}

// Screen returns what a person sees in the terminal. For a dead pane it adds a row of history, since
// tmux scrolls by one to say that the pane is dead.
func Screen(ctx context.Context, t *team.Terminal, opts tmux.ScreenOptions) (tmux.Screen, error) {
	screen, err := t.Pane.Screen(ctx, opts)
	if err == nil && screen.Dead {
		opts.History++
		screen, err = t.Pane.Screen(ctx, opts)
	}
	return screen, err
}

func (ts *Terminals) ReadTerminal(
	ctx context.Context, req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	m, t, err := ts.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}

	ctx, cancel := ts.withAnswerTime(ctx)
	defer cancel()

	seal := m.Agent().Seal
	if me := parley.CallerFrom(ctx); me.Operator || me.ID == m.ID {
		seal = "" // nothing to hide
	}

	// Colours could part the letters of a seal.
	screen, err := Screen(ctx, t, tmux.ScreenOptions{Colours: req.Colours && seal == "", History: req.History})
	if err != nil {
		return nil, lookError(m, t, err)
	}

	lines := strings.Split(plain.HideSeal(strings.Join(screen.Lines, "\n"), seal), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}

	return &parley.ReadTerminalResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Lines:   append([]string{}, lines...),
		Width:   screen.Width,
		Height:  screen.Height,
		CursorX: screen.CursorX,
		CursorY: screen.CursorY,
		Hidden:  screen.CursorHidden,
		Keys:    ts.opts.Keyboard && parley.CallerFrom(ctx).Session != "",
		Title:   plain.CleanLine(screen.Title),
		At:      ts.now(),
	}, nil
}

func (ts *Terminals) GetAttachInfo(
	ctx context.Context, req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	m, t, err := ts.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}

	ctx, cancel := ts.withAnswerTime(ctx)
	defer cancel()

	info, err := t.Pane.Info(ctx) // attaching to a server that does not answer would hang
	if err != nil {
		return nil, lookError(m, t, err)
	}

	res := &parley.AttachInfoResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Socket:  t.Server.SocketPath(),
		Session: info.Session,
		Pane:    info.ID,
		Command: t.Server.AttachToPane(info.ID), // the session may also have windows that a person opened
		Adopted: t.Adopted(),
	}

	return res, nil
}

// errTmuxSilent is the cause when a call to tmux that a person waits for times out.
var errTmuxSilent = errors.New("the tmux server does not answer")

// withAnswerTime bounds a call to tmux that a person waits for by AnswerTime, with errTmuxSilent as
// the cause.
func (ts *Terminals) withAnswerTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, ts.AnswerTime, errTmuxSilent)
}

// lookError is like terminalError, but explains a timeout to the person who waits for the terminal.
func lookError(m *team.Member, t *team.Terminal, err error) error {
	if !errors.Is(err, errTmuxSilent) {
		return terminalError(m, err)
	}

	pid, _, _ := strings.Cut(t.Instance, "/")
	e := parley.Errorf(parley.TmuxUnavailable, "the tmux server of %s does not answer", m.Name).
		With("socket", t.Server.SocketPath()).
		With("pid", pid)

	if t.Adopted() {
		return e.Suggest("It is one of your own. If its process %s was stopped, wake it with: kill -CONT %s", pid, pid)
	}

	return e.Suggest("If its process %s was stopped, wake it with: kill -CONT %s; "+
		"else end it and its agents with: parley down", pid, pid)
}

// terminalOf resolves the name of an agent that has a terminal now, and returns both. The error is
// AGENT_UNAVAILABLE when it has none.
func (ts *Terminals) terminalOf(ref string) (*team.Member, *team.Terminal, error) {
	m, err := ts.terminalMember(ref)
	if err != nil {
		return nil, nil, err
	}
	t := m.Terminal()
	if t == nil {
		return nil, nil, terminalError(m, tmux.ErrNoPane)
	}
	return m, t, nil
}

// showBars brings the status lines up to date that somebody sees now: the agent's state, and what
// waits for its terminal. Where nobody is attached nothing is set, since tmux draws every attached
// terminal again after each option.
func (w *watcher) showBars(ctx context.Context, members map[*team.Member]*team.Terminal) {
	var counts map[string]store.AgentCounts
	for m, t := range members {
		if t == nil || t.Info.Attached == 0 || t.Info.Dead {
			continue
		}

		if counts == nil {
			var err error
			if counts, err = w.ts.store.Inbox.Counts(ctx); err != nil {
				return // the next look tries again, and others say what is wrong with the database
			}
		}

		text := bar(m.Agent().State, counts[m.ID].Queued)
		if text != t.Bar && t.Pane.SetBar(ctx, text) == nil {
			t.Bar = text
		}
	}
}

// bar returns what the status line says behind an agent's name.
func bar(state parley.AgentState, queued int) string {
	words := []string{string(state)}
	if state == parley.StateWaiting {
		words[0] = "waiting for your answer"
	}

	switch {
	case queued == 1:
		words = append(words, "1 message waits")
	case queued > 1:
		words = append(words, fmt.Sprintf("%d messages wait", queued))
	}

	return strings.Join(words, ", ")
}

// Programs and tmux do not agree how wide some characters are, such as emoji with a colour
// of skin. The rows that hold them push others out of their places, and what the program
// draws later does not heal that. It draws all rows again when the size of its window
// changes.

// redrawWithin is how long a program may take to draw its screen at another size.
const redrawWithin = 5 * time.Second

// redraw makes the window of a terminal one row smaller. giveSizeBack ends that. It does
// nothing where somebody views the window or has chosen its size, nor while a message is
// being typed.
func (w *watcher) redraw(ctx context.Context, m *team.Member, t *team.Terminal, info tmux.PaneInfo) {
	if !info.Unviewed || info.Resized || info.InMode || info.LaunchHeight < 2 || !m.Typing.TryLock() {
		return
	}
	defer m.Typing.Unlock()

	err := t.Pane.Resize(ctx, info.LaunchWidth, info.LaunchHeight-1)
	if err != nil && !w.ts.ending.Load() {
		w.ts.log.Warn("have its screen drawn again", "agent", m.Name, "error", err)
	}
	t.RedrawnAt = w.ts.now()
}

// isRedrawing reports whether a program that was made to draw its screen again has not
// begun to: it would not notice a size that comes and goes within a moment.
func isRedrawing(t *team.Terminal, info tmux.PaneInfo, now time.Time) bool {
	drawn := info.Activity.Unix() > t.RedrawnAt.Unix() // tmux tells whole seconds
	return !drawn && now.Sub(t.RedrawnAt) < redrawWithin
}
