package orchestrator

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/profile"
	"parley/store"
	"parley/tmux"
)

// startTime bounds the way from tmux's new-session to the program itself, which
// takes some milliseconds: it is for a machine that is overloaded.
const startTime = 20 * time.Second

// LaunchAgent implements parley.TerminalService.
func (o *Orchestrator) LaunchAgent(
	ctx context.Context,
	req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}

	p, err := o.opts.Profiles.Find(cmp.Or(req.Profile, "generic"))
	if err != nil {
		return nil, err
	}

	l, err := o.plan(req, p)
	if err != nil {
		return nil, err
	}

	m, err := o.enlist(ctx, req, l)
	if err != nil {
		return nil, err
	}
	defer m.changing.Unlock()

	return o.run(ctx, m, p, l, req.Width, req.Height)
}

// plan checks what is to be run before anything is changed.
func (o *Orchestrator) plan(req parley.LaunchAgentRequest, p *profile.Profile) (*launch, error) {
	l := &launch{Argv: req.Command, Dir: cmp.Or(req.Dir, o.opts.Workspace), Env: environList(req.Env)}
	if len(l.Argv) == 0 {
		l.Argv = slices.Clone(p.Command)
	}

	if len(l.Argv) == 0 || l.Argv[0] == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "no program was named").
			Suggest("Name it: parley launch %s -- PROGRAM ARGUMENTS, or choose a profile that has one.", req.Name)
	}

	if len(req.Command) == 0 && l.Argv[0] == "parley" {
		l.Argv[0] = o.opts.Executable
	}

	if info, err := os.Stat(l.Dir); !filepath.IsAbs(l.Dir) || err != nil || !info.IsDir() {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not a directory", l.Dir).
			Suggest("Give the absolute path of a directory that exists.")
	}

	if _, err := lookPath(l.Argv[0], l.Dir, l.Env); err != nil {
		e := parley.Errorf(parley.InvalidArgument, "cannot start %q: %w", l.Argv[0], err)
		if errors.Is(err, fs.ErrPermission) {
			return nil, e.Suggest("Name a program: that file cannot be executed.")
		}
		return nil, e.Suggest("Install it, or give its full path; it was looked for in the PATH of the launch.")
	}

	return l, nil
}

func environList(env map[string]string) []string {
	if env == nil {
		return os.Environ()
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// enlist finds or makes the member that the launch is for, and returns with its
// m.changing held.
func (o *Orchestrator) enlist(ctx context.Context, req parley.LaunchAgentRequest, l *launch) (*member, error) {
	now := o.now()
	a := parley.Agent{
		ID:            newID(),
		Name:          req.Name,
		Description:   parley.CleanLine(req.Description),
		Role:          parley.CleanLine(req.Role),
		Capabilities:  cleanAll(req.Capabilities),
		Groups:        cleanAll(req.Groups),
		Kind:          parley.KindTerminal,
		State:         parley.StateStarting,
		Since:         now,
		Evidence:      "launched",
		Host:          o.opts.Host,
		Profile:       cmp.Or(req.Profile, "generic"),
		Command:       l.Argv,
		Dir:           l.Dir,
		Orchestrate:   req.Orchestrate,
		Interruptible: req.Interruptible,
		CreatedAt:     now,
		LastActive:    now,
	}

	key, stored := o.roster.newKey(parley.KeyLaunched)
	m, err := o.enroll(ctx, a, stored)
	if err != nil {
		return nil, err
	}

	l.Env = environment(l.Env, o.identity(m, key))

	return m, nil
}

// enroll stores an agent, as a new member or as what a stopped one of its name is now,
// and returns with its m.changing held.
func (o *Orchestrator) enroll(ctx context.Context, a parley.Agent, key *store.APIKey) (*member, error) {
	m := o.roster.named(a.Name)
	if m == nil {
		if err := o.store.CreateAgent(ctx, a, key); err != nil {
			return nil, err
		}

		m = newMember(a)
		m.changing.Lock()
		o.roster.add(m)
		o.roster.keys.add(m, key)
		o.startCourier(m)

		return m, nil
	}

	m.changing.Lock()
	if err := o.revive(ctx, m, a, key); err != nil {
		m.changing.Unlock()
		return nil, err
	}

	return m, nil
}

// revive gives a stopped agent its new description, state and key.
func (o *Orchestrator) revive(ctx context.Context, m *member, a parley.Agent, key *store.APIKey) error {
	old := m.snapshot()
	if m.kind != parley.KindTerminal || m.place() != nil && old.State.Live() {
		return taken(m)
	}

	if m.place() != nil || old.State != parley.StateTerminated {
		// Its program ended by itself and the terminal still shows its last screen, or
		// the terminal was taken from under what may still run.
		if _, err := o.end(ctx, m, "launched again"); err != nil {
			return err
		}
	}

	a.ID, a.Name, a.CreatedAt = old.ID, old.Name, old.CreatedAt

	return o.renew(ctx, m, a, key)
}

// renew replaces what is known of a member, and all its keys.
func (o *Orchestrator) renew(ctx context.Context, m *member, a parley.Agent, key *store.APIKey) error {
	o.roster.keys.changing.Lock()
	defer o.roster.keys.changing.Unlock()
	if err := o.store.ReviveAgent(ctx, a, key); err != nil {
		return err
	}
	o.roster.keys.end(o.roster.keys.of(m))
	o.roster.keys.add(m, key)
	m.setAgent(a)
	return nil
}

// identity is what every agent is told about itself.
func (o *Orchestrator) identity(m *member, key string) map[string]string {
	return map[string]string{
		"PARLEY_DIR":      o.opts.Workspace,
		"PARLEY_KEY":      key,
		"PARLEY_AGENT":    m.name,
		"PARLEY_AGENT_ID": m.id,
	}
}

func taken(m *member) error {
	return parley.Errorf(parley.AgentExists, "there is an agent %s already (%s, %s)", m.name, m.snapshot().Kind, m.snapshot().State).
		Suggest("Choose another name, or stop it first: parley stop %s", m.name)
}

// run starts the program in a session and waits until it is there.
func (o *Orchestrator) run(
	ctx context.Context,
	m *member,
	p *profile.Profile,
	l *launch,
	width, height int,
) (*parley.LaunchAgentResult, error) {
	var info tmux.PaneInfo
	m.reports.forget()
	full, err := o.handOver(m, p, l)
	if err == nil {
		info, err = o.open(ctx, m, full, width, height)
	}

	if err != nil {
		evidence := "could not be started: " + parley.Truncate(parley.CleanLine(err.Error()), 200)
		return nil, errors.Join(err, o.roster.setState(context.WithoutCancel(ctx), m, parley.StateTerminated, evidence, nil))
	}

	o.launches.keep(m, l)
	t := newTerminal(o.tmux, p, info)
	t.started = o.now()
	m.startAnew(t)
	if err := o.roster.setState(context.WithoutCancel(ctx), m, parley.StateStarting, "launched", nil); err != nil {
		return nil, err
	}

	o.lookSoon()
	m.nudge()

	return &parley.LaunchAgentResult{Answer: parley.OK, AgentID: m.id, Name: m.name, State: m.snapshot().State,
		PID: info.PID, Attach: o.tmux.AttachCommand(m.name)}, nil
}

// open makes the session and waits until its program runs, or says why not.
func (o *Orchestrator) open(ctx context.Context, m *member, l *launch, width, height int) (tmux.PaneInfo, error) {
	if o.ending.Load() {
		return tmux.PaneInfo{}, parley.Errorf(parley.DaemonUnavailable, "parley is ending").
			Suggest("Start it again: parley up.")
	}

	file, err := l.write(o.opts.LaunchDir)
	if err != nil {
		return tmux.PaneInfo{}, err
	}

	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()

	session := tmux.SessionOptions{Name: m.name, Dir: l.Dir, Width: width, Height: height, Owner: m.id,
		Argv: []string{o.opts.Executable, "_exec", file}}
	info, err := o.tmux.NewSession(ctx, session)
	if errors.Is(err, tmux.ErrSessionExists) { // left by a program that ended, or by a launch that a crash cut short
		if err = o.tmux.KillSession(ctx, m.name); err == nil {
			info, err = o.tmux.NewSession(ctx, session)
		}
	}

	if err == nil {
		err = o.becomes(ctx, info, file)
	}

	if err != nil {
		err = errors.Join(err, ignore(os.Remove(file), fs.ErrNotExist), o.undo(ctx, m, info))
		if _, typed := errors.AsType[*parley.Error](err); !typed {
			return tmux.PaneInfo{}, tmuxError(err)
		}
		return tmux.PaneInfo{}, err
	}

	return info, nil
}

// undo ends what a launch that failed may have left. Without a pane in info it is not
// even known whether there is a session.
func (o *Orchestrator) undo(ctx context.Context, m *member, info tmux.PaneInfo) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	err := findTree(m.id, info.PID, tmux.Birth(info.PID)).end(ctx, o.opts.Settings.StopGrace)
	killed := o.tmux.KillSession(ctx, m.name)
	if info.ID == "" {
		return err
	}
	return errors.Join(err, ignore(killed, tmux.ErrNoSession))
}

// dying is how many looks a process that is just ending may have no command line and
// count as alive.
const dying = 20

// becomes waits until the process that tmux started has become the program: it
// has then removed its launch file and replaced itself.
func (o *Orchestrator) becomes(ctx context.Context, info tmux.PaneInfo, file string) error {
	pane, untold := o.tmux.Pane(info.ID), 0
	return wait.Until(ctx, 5*time.Millisecond, func() (bool, error) {
		now, err := pane.Info(ctx)
		if err != nil {
			return false, err
		}
		if now.Dead {
			return o.diedAtOnce(ctx, pane, now)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}

		argv, err := tmux.Foreground(info.PID)
		if err != nil { // it cannot be told what has the terminal; but not parley, while what was started lives
			untold++
			return untold > dying && tmux.Alive(info.PID), nil
		}

		return !slices.Contains(argv, file), nil
	})
}

// diedAtOnce tells a program that ended quickly, which is not an error, from one
// that could not be started: `parley _exec` ends with 127 then and says why.
func (o *Orchestrator) diedAtOnce(ctx context.Context, pane *tmux.Pane, info tmux.PaneInfo) (bool, error) {
	if !info.ExitKnown {
		return false, nil // tmux was told to look again
	}
	if info.ExitStatus != ExecFailed || info.Signal != "" {
		return true, nil
	}

	screen, err := pane.Screen(ctx, tmux.ScreenOptions{Tail: 5, Join: true})
	if err != nil {
		return false, err
	}

	said := parley.CleanLine(strings.Join(screen.Lines, " "))

	return false, parley.Errorf(parley.InvalidArgument, "the program could not be started: %s", said).
		Suggest("Correct the command and launch again.")
}

// ExecFailed is the exit status of `parley _exec` when it could not become the
// program, as a shell's for a command it cannot find.
const ExecFailed = 127

// RestartAgent implements parley.TerminalService.
func (o *Orchestrator) RestartAgent(
	ctx context.Context,
	req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	m, err := o.terminalMember(req.Agent)
	if err != nil {
		return nil, err
	}

	m.changing.Lock()
	defer m.changing.Unlock()

	a := m.snapshot()
	if a.Adopted() {
		return nil, notOurs(a)
	}

	p, err := o.opts.Profiles.Find(cmp.Or(a.Profile, "generic"))
	if err != nil {
		return nil, err
	}

	last := m.place()
	old := o.launches.find(m)
	again := parley.LaunchAgentRequest{Name: a.Name, Command: a.Command, Dir: cmp.Or(a.Dir, req.Dir), Env: req.Env}

	l, err := o.plan(again, p)
	if old != nil {
		l, err = &launch{Argv: old.Argv, Dir: old.Dir, Env: old.Env}, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := o.end(ctx, m, "restarted"); err != nil {
		return nil, err
	}

	key, stored := o.roster.newKey(parley.KeyLaunched)
	if _, err := o.swapKeys(ctx, m, stored, (*heldKey).launched); err != nil {
		return nil, err
	}

	l.Env = environment(l.Env, o.identity(m, key))
	width, height := 0, 0
	if last != nil {
		width, height = cmp.Or(last.info.LaunchWidth, last.info.Width), cmp.Or(last.info.LaunchHeight, last.info.Height)
	}

	return o.run(ctx, m, p, l, width, height)
}

// terminalMember resolves the name of an agent that has, or had, a terminal.
func (o *Orchestrator) terminalMember(ref string) (*member, error) {
	m, err := o.roster.find(ref)
	if err != nil {
		return nil, err
	}
	if m.kind != parley.KindTerminal {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a %s, it has no terminal", m.name, m.snapshot().Kind).
			Suggest("Name an agent that was launched; get_agent_status lists them.")
	}
	return m, nil
}

// ignore drops an error that is as good as none.
func ignore(err, harmless error) error {
	if errors.Is(err, harmless) {
		return nil
	}
	return err
}
