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
	"parley/orchestrator/team"
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
	defer m.Changing.Unlock()

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
func (o *Orchestrator) enlist(ctx context.Context, req parley.LaunchAgentRequest, l *launch) (*team.Member, error) {
	now := o.now()
	a := parley.Agent{
		ID:            team.NewID(),
		Name:          req.Name,
		Description:   parley.CleanLine(req.Description),
		Role:          parley.CleanLine(req.Role),
		Capabilities:  parley.CleanLines(req.Capabilities),
		Groups:        parley.CleanLines(req.Groups),
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

	key, stored := o.roster.NewKey(parley.KeyLaunched)
	m, err := o.enroll(ctx, a, stored)
	if err != nil {
		return nil, err
	}

	l.Env = environment(l.Env, o.identity(m, key))

	return m, nil
}

// enroll stores an agent, as a new member or as what a stopped one of its name is now,
// and returns with its m.changing held.
func (o *Orchestrator) enroll(ctx context.Context, a parley.Agent, key *store.APIKey) (*team.Member, error) {
	m := o.roster.ByName(a.Name)
	if m == nil {
		if err := o.store.CreateAgent(ctx, a, key); err != nil {
			return nil, err
		}

		m = team.NewMember(a)
		m.Changing.Lock()
		o.roster.Add(m)
		o.roster.Keys.Add(m, key)
		o.couriers.Start(o.ctx, m)

		return m, nil
	}

	m.Changing.Lock()
	if err := o.revive(ctx, m, a, key); err != nil {
		m.Changing.Unlock()
		return nil, err
	}

	return m, nil
}

// revive gives a stopped agent its new description, state and key.
func (o *Orchestrator) revive(ctx context.Context, m *team.Member, a parley.Agent, key *store.APIKey) error {
	old := m.Agent()
	if m.Kind != parley.KindTerminal || m.Terminal() != nil && old.State.Live() {
		return taken(m)
	}

	if m.Terminal() != nil || old.State != parley.StateTerminated {
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
func (o *Orchestrator) renew(ctx context.Context, m *team.Member, a parley.Agent, key *store.APIKey) error {
	o.roster.Keys.Changing.Lock()
	defer o.roster.Keys.Changing.Unlock()
	if err := o.store.ReviveAgent(ctx, a, key); err != nil {
		return err
	}
	o.roster.Keys.End(o.roster.Keys.Of(m))
	o.roster.Keys.Add(m, key)
	m.SetAgent(a)
	return nil
}

// identity is what every agent is told about itself.
func (o *Orchestrator) identity(m *team.Member, key string) map[string]string {
	return map[string]string{
		"PARLEY_DIR":      o.opts.Workspace,
		"PARLEY_KEY":      key,
		"PARLEY_AGENT":    m.Name,
		"PARLEY_AGENT_ID": m.ID,
	}
}

func taken(m *team.Member) error {
	return parley.Errorf(parley.AgentExists, "there is an agent %s already (%s, %s)", m.Name, m.Agent().Kind, m.Agent().State).
		Suggest("Choose another name, or stop it first: parley stop %s", m.Name)
}

// run starts the program in a session and waits until it is there.
func (o *Orchestrator) run(
	ctx context.Context,
	m *team.Member,
	p *profile.Profile,
	l *launch,
	width, height int,
) (*parley.LaunchAgentResult, error) {
	var info tmux.PaneInfo
	m.Reports.Forget()
	full, err := o.handOver(m, p, l)
	if err == nil {
		info, err = o.open(ctx, m, full, width, height)
	}

	if err != nil {
		evidence := "could not be started: " + parley.Truncate(parley.CleanLine(err.Error()), 200)
		return nil, errors.Join(err, o.roster.SetState(context.WithoutCancel(ctx), m, parley.StateTerminated, evidence, nil))
	}

	o.launches.keep(m, l)
	t := team.NewTerminal(o.tmux, p, info)
	t.Started = o.now()
	m.StartTerminal(t)
	if err := o.roster.SetState(context.WithoutCancel(ctx), m, parley.StateStarting, "launched", nil); err != nil {
		return nil, err
	}

	o.lookSoon()
	m.Wake()

	return &parley.LaunchAgentResult{Answer: parley.OK, AgentID: m.ID, Name: m.Name, State: m.Agent().State,
		PID: info.PID, Attach: o.tmux.AttachCommand(m.Name)}, nil
}

// open makes the session and waits until its program runs, or says why not.
func (o *Orchestrator) open(ctx context.Context, m *team.Member, l *launch, width, height int) (tmux.PaneInfo, error) {
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

	session := tmux.SessionOptions{Name: m.Name, Dir: l.Dir, Width: width, Height: height, Owner: m.ID,
		Argv: []string{o.opts.Executable, "_exec", file}}
	info, err := o.tmux.NewSession(ctx, session)
	if errors.Is(err, tmux.ErrSessionExists) { // left by a program that ended, or by a launch that a crash cut short
		if err = o.tmux.KillSession(ctx, m.Name); err == nil {
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
func (o *Orchestrator) undo(ctx context.Context, m *team.Member, info tmux.PaneInfo) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	err := findTree(m.ID, info.PID, tmux.Birth(info.PID)).end(ctx, o.opts.Settings.StopGrace)
	killed := o.tmux.KillSession(ctx, m.Name)
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

	m.Changing.Lock()
	defer m.Changing.Unlock()

	a := m.Agent()
	if a.Adopted() {
		return nil, notOurs(a)
	}

	p, err := o.opts.Profiles.Find(cmp.Or(a.Profile, "generic"))
	if err != nil {
		return nil, err
	}

	last := m.Terminal()
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

	key, stored := o.roster.NewKey(parley.KeyLaunched)
	if _, err := o.swapKeys(ctx, m, stored, (*team.Key).IsLaunched); err != nil {
		return nil, err
	}

	l.Env = environment(l.Env, o.identity(m, key))
	width, height := 0, 0
	if last != nil {
		width, height = cmp.Or(last.Info.LaunchWidth, last.Info.Width), cmp.Or(last.Info.LaunchHeight, last.Info.Height)
	}

	return o.run(ctx, m, p, l, width, height)
}

// terminalMember resolves the name of an agent that has, or had, a terminal.
func (o *Orchestrator) terminalMember(ref string) (*team.Member, error) {
	m, err := o.roster.Find(ref)
	if err != nil {
		return nil, err
	}
	if m.Kind != parley.KindTerminal {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is a %s, it has no terminal", m.Name, m.Agent().Kind).
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
