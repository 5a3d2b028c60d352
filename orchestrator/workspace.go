package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux"
)

// ReadEvents implements parley.EventService.
func (o *Orchestrator) ReadEvents(ctx context.Context, req parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	c := parley.CallerFrom(ctx)
	q := store.EventQuery{After: req.After, Limit: cmp.Or(req.Limit, 100), Last: req.Last, For: c.ID}
	if c.Operator {
		q.For = ""
	}

	wait, cancel := context.WithTimeout(ctx, time.Duration(req.WaitSeconds)*time.Second)
	defer cancel()
	defer context.AfterFunc(o.ctx, cancel)()

	for {
		seen := o.store.LastEvent()
		events, err := o.store.Events(ctx, q)
		if err != nil {
			return nil, err
		}

		res := &parley.ReadEventsResult{Answer: parley.OK, Events: events, Next: max(req.After, seen)}
		if len(events) > 0 {
			res.Next = events[len(events)-1].Seq
			return res, nil
		}

		if res.Events = []parley.Event{}; req.WaitSeconds <= 0 || o.store.WaitEvent(wait, seen) != nil {
			return res, ctx.Err()
		}
	}
}

// GetWorkspaceStatus implements parley.WorkspaceService.
func (o *Orchestrator) GetWorkspaceStatus(
	ctx context.Context,
	_ parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	res := o.opts.Info
	res.Answer, res.Workspace = parley.OK, o.opts.Workspace
	res.TmuxSocket, res.TmuxVersion = o.tmux.SocketPath(), o.tmux.Version().String()
	res.LastEvent, res.Paused, res.Warnings = o.store.LastEvent(), o.pause.is(), o.warnings
	res.Agents = map[string]int{}
	for _, m := range o.roster.All() {
		if m.Kind != parley.KindHuman {
			res.Agents[string(m.Agent().State)]++
		}
	}

	needs, err := o.needs(ctx)
	if err != nil {
		return nil, err
	}

	res.Needs = len(needs)
	res.Deliveries, err = o.store.DeliveryCounts(ctx)

	return &res, err
}

// Backup implements parley.WorkspaceService.
func (o *Orchestrator) Backup(ctx context.Context, req parley.BackupRequest) (*parley.BackupResult, error) {
	if !filepath.IsAbs(req.Path) {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", req.Path).
			Suggest("Give the whole path of the file to write.")
	}
	size, err := o.store.Backup(ctx, req.Path)
	if err != nil {
		return nil, err
	}
	return &parley.BackupResult{Answer: parley.OK, Path: req.Path, Size: size}, nil
}

// ShutDown implements parley.WorkspaceService.
func (o *Orchestrator) ShutDown(ctx context.Context, req parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	res := &parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}}
	if !req.KeepAgents {
		stopped, left, err := o.endAll(context.WithoutCancel(ctx), "stopped by parley down")
		if err != nil {
			return nil, err
		}
		res.Stopped, res.Left = filled(stopped), left
	}
	if o.opts.ShutDown != nil {
		o.opts.ShutDown()
	}
	return res, nil
}

// endAll ends all agents and the tmux server, and returns whom, and which adopted ones run
// on without it. Launches under way are waited for, later ones are refused.
func (o *Orchestrator) endAll(ctx context.Context, evidence string) (stopped, left []string, err error) {
	o.ending.Store(true)
	defer func() {
		if err != nil {
			o.ending.Store(false)
		}
	}()

	var members []*team.Member
	for _, m := range o.roster.All() {
		m.Changing.Lock()
		defer m.Changing.Unlock()

		if m.Kind == parley.KindTerminal && (m.Terminal() != nil || m.Agent().State != parley.StateTerminated) {
			members = append(members, m)
			if a := m.Agent(); a.Adopted() && m.Terminal() != nil {
				left = append(left, m.Name)
			} else {
				stopped = append(stopped, m.Name)
			}
		}
	}

	var ends errgroup.Group
	for _, m := range members {
		ends.Go(func() error {
			_, err := o.endProcesses(ctx, m, m.Terminal())
			if a := m.Agent(); err != nil && a.Adopted() { // what is left there harms nobody
				o.log.Warn("let an adopted agent go", "agent", m.Name, "error", err)
				return nil
			}
			return err
		})
	}

	if err := ends.Wait(); err != nil {
		for _, m := range members {
			if t := m.Terminal(); t != nil {
				t.Ended.Store(false) // the watcher sees to their states again
			}
		}
		return nil, nil, err
	}

	// The sessions go with the server, even with one that answers nobody any more.
	if err := o.tmux.Shutdown(ctx); err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return nil, nil, tmuxError(err)
	}

	for _, m := range members {
		err = errors.Join(err, o.close(ctx, m, evidence))
	}

	return stopped, left, err
}

// screen is what a person sees in the terminal. tmux scrolls by a row to say that
// a pane is dead.
func screenOf(ctx context.Context, t *team.Terminal, opts tmux.ScreenOptions) (tmux.Screen, error) {
	screen, err := t.Pane.Screen(ctx, opts)
	if err == nil && screen.Dead {
		opts.History++
		screen, err = t.Pane.Screen(ctx, opts)
	}
	return screen, err
}

// ReadTerminal implements parley.TerminalService.
func (o *Orchestrator) ReadTerminal(
	ctx context.Context,
	req parley.ReadTerminalRequest,
) (*parley.ReadTerminalResult, error) {
	if m, err := o.roster.Find(req.Agent); err == nil && m.Agent().Responder != nil {
		return o.responders.ReadScreen(m, req.History), nil
	}

	m, t, err := o.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}

	ctx, cancel := o.whileTmuxAnswers(ctx)
	defer cancel()

	screen, err := screenOf(ctx, t, tmux.ScreenOptions{Colours: req.Colours, History: req.History})
	if err != nil {
		return nil, lookError(m, t, err)
	}

	lines := screen.Lines
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}

	return &parley.ReadTerminalResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Lines:   filled(lines),
		Width:   screen.Width,
		Height:  screen.Height,
		CursorX: screen.CursorX,
		CursorY: screen.CursorY,
		Title:   parley.CleanLine(screen.Title),
		At:      o.now(),
	}, nil
}

// GetAttachInfo implements parley.TerminalService.
func (o *Orchestrator) GetAttachInfo(
	ctx context.Context,
	req parley.AttachInfoRequest,
) (*parley.AttachInfoResult, error) {
	m, t, err := o.terminalOf(req.Agent)
	if err != nil {
		return nil, err
	}

	ctx, cancel := o.whileTmuxAnswers(ctx)
	defer cancel()

	info, err := t.Pane.Info(ctx) // a client of a server that does not answer would wait for ever
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
		Command: t.Server.AttachCommand(info.Session),
	}

	if t.Adopted() {
		res.Command, res.Adopted = t.Server.AttachToPane(info.ID), true
	}

	return res, nil
}

// errTmuxSilent is why a question to tmux that a person waits for was given up.
var errTmuxSilent = errors.New("the tmux server does not answer")

// whileTmuxAnswers bounds such a question.
func (o *Orchestrator) whileTmuxAnswers(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, o.answerTime, errTmuxSilent)
}

// lookError is terminalError for who wants to see the terminal.
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

	return e.Suggest(
		"If its process %s was stopped, wake it with: kill -CONT %s; else end it and its agents with: parley down",
		pid,
		pid,
	)
}

// terminalOf resolves an agent that has a terminal now.
func (o *Orchestrator) terminalOf(ref string) (*team.Member, *team.Terminal, error) {
	m, err := o.terminalMember(ref)
	if err != nil {
		return nil, nil, err
	}
	t := m.Terminal()
	if t == nil {
		return nil, nil, terminalError(m, tmux.ErrNoPane)
	}
	return m, t, nil
}
