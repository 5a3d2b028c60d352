package terminal

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/program/sandbox"
	"parley/store"
	"parley/tmux"
)

// startTime bounds the time from tmux's new-session until the program runs. That takes some
// milliseconds; the rest is for overloaded machines.
const startTime = 20 * time.Second

func (ts *Terminals) LaunchAgent(
	ctx context.Context, req parley.LaunchAgentRequest,
) (*parley.LaunchAgentResult, error) {
	p, err := choose(ts.opts.Profiles, req.Profile, req.Command)
	if err != nil {
		return nil, err
	}

	p = p.say(ctx, ts, req.Profile)
	before := earlier(ts.roster, req, p)
	if req.Session != "" {
		before = parley.Agent{Dir: req.Dir, Session: parley.Session{ID: req.Session, State: parley.SessionBegun}}
	}
	if before.Session.Begun() {
		req.Dir = before.Dir
	}

	l, err := ts.launcher.plan(req, p.Profile)
	if err != nil {
		return nil, err
	}
	if l.begin, err = begin(p.Profile, l.Argv, before.Session, team.NewID()); err != nil {
		return nil, err
	}
	if req.Sandboxed() { // a link in the way can be altered later
		if l.Dir, err = filepath.EvalSymlinks(l.Dir); err != nil {
			return nil, err
		}
	}
	if err := refuseSandbox(ctx, req.Name, req.AgentSpec, l.Dir, cmp.Or(worktreeOf(ctx), before.Worktree)); err != nil {
		return nil, err
	}
	l.first.Text = req.Prompt
	if err := ts.Ports.forLaunch(ctx, l, req.Name, req.Ports); err != nil {
		return nil, err
	}

	req.Profile = p.stored()
	id := ""
	if m := ts.roster.ByName(req.Name); m != nil {
		id = m.ID
	}
	if err := ts.launcher.refuseOtherSession(ctx, req.Name, id); err != nil {
		return nil, err
	}
	m, err := ts.launcher.enlist(ctx, req, l)
	if err != nil {
		return nil, err
	}
	defer m.Changing.Unlock()

	first := id == "" && isFirst(ts.roster, m, p.Profile)
	res, err := ts.launcher.run(ctx, m, p, l, req.Width, req.Height)
	if err == nil && first && !req.Sandboxed() && sandbox.Usable(ctx) == nil {
		res.Hint = "--sandbox --worktree keeps a program from all else of yours: docs/security.md"
	}
	return res, err
}

// plan returns the launch that a request asks for. It changes nothing. The error is INVALID_ARGUMENT
// when the program or the directory cannot be used.
func (la *launcher) plan(req parley.LaunchAgentRequest, p *profile.Profile) (*launch, error) {
	l := &launch{Argv: req.Command, Dir: cmp.Or(req.Dir, la.ts.opts.Workspace), Env: environList(req.Env)}
	if len(l.Argv) == 0 {
		l.Argv = slices.Clone(p.Command)
	}

	if len(l.Argv) == 0 || l.Argv[0] == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "no program was named").
			Suggest("Name it: parley launch %s -- PROGRAM ARGUMENTS, or choose a profile that has one.", req.Name)
	}

	if len(req.Command) == 0 && l.Argv[0] == "parley" {
		l.Argv[0] = la.ts.opts.Executable
	}

	if req.Model != "" {
		if p.ModelFlag == "" {
			return nil, parley.Errorf(parley.InvalidArgument, "parley does not know how %s is told its model", p.Name).
				With("parameter", "model").
				Suggest("Give the program's own flag after its name: parley launch %s -- PROGRAM FLAG MODEL", req.Name)
		}
		l.Argv = slices.Concat(l.Argv, []string{p.ModelFlag, req.Model})
	}

	if !filepath.IsAbs(l.Dir) {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", l.Dir).
			Suggest("Give the absolute path of a directory.")
	}
	if info, err := os.Stat(l.Dir); err != nil || !info.IsDir() {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not a directory", l.Dir).
			Suggest("Give a directory that exists.")
	}

	var err error
	if l.path, err = lookPath(l.Argv[0], l.Dir, l.Env); err != nil {
		e := parley.Errorf(parley.InvalidArgument, "cannot start %q: %w", l.Argv[0], err)
		if errors.Is(err, fs.ErrPermission) {
			return nil, e.Suggest("Name a program: that file cannot be executed.")
		}
		return nil, e.Suggest("Install it, or give its full path; it was looked for in the PATH of the launch.")
	}

	return l, nil
}

// enlist finds or makes the member that a launch is for, gives it a new key and l its environment,
// and returns with m.Changing held.
func (la *launcher) enlist(ctx context.Context, req parley.LaunchAgentRequest, l *launch) (*team.Member, error) {
	a, key, stored := la.newAgent(req, l)
	if req.Sandboxed() { // it is enclosed by that; of others it is recorded once they run
		a.Worktree = worktreeOf(ctx)
	}
	m, err := la.enroll(ctx, a, stored)
	if err != nil {
		return nil, err
	}

	if err := la.identify(ctx, m, l, key); err != nil {
		m.Changing.Unlock()
		return nil, err
	}
	return m, nil
}

// newAgent returns the agent that a launch makes, and its key.
func (la *launcher) newAgent(
	req parley.LaunchAgentRequest, l *launch,
) (a parley.Agent, key string, stored *store.APIKey) {
	now := la.ts.now()
	key, stored = la.ts.roster.NewKey(parley.KeyLaunched)
	a = parley.Agent{
		ID:         team.NewID(),
		Name:       req.Name,
		AgentSpec:  parley.CleanSpec(req.AgentSpec),
		Kind:       parley.KindTerminal,
		State:      parley.StateStarting,
		Since:      now,
		Evidence:   "launched",
		Host:       la.ts.opts.Host,
		Profile:    req.Profile,
		Command:    l.Argv,
		Dir:        l.Dir,
		Session:    l.begin.session,
		NoResume:   req.NoResume,
		PromptHash: parley.HashPrompt(req.Prompt),
		OwnEnv:     req.OwnEnv,

		Seal:       plain.NewSeal(),
		CreatedAt:  now,
		LastActive: now,
	}

	return a, key, stored
}

// enroll stores an agent, as a new member or in place of a stopped one with its name, and returns
// with m.Changing held. key may be nil. The error is AGENT_EXISTS when the name is taken.
func (la *launcher) enroll(ctx context.Context, a parley.Agent, key *store.APIKey) (*team.Member, error) {
	m := la.ts.roster.ByName(a.Name)
	if m == nil {
		if err := la.ts.store.Agents.CreateAgent(ctx, a, key); err != nil {
			return nil, err
		}

		m = team.NewMember(a)
		m.Changing.Lock()
		la.ts.roster.Add(m)
		la.ts.roster.Keys.Add(m, key)
		la.ts.couriers.Start(m)

		return m, nil
	}

	m.Changing.Lock()
	if err := la.revive(ctx, m, a, key); err != nil {
		m.Changing.Unlock()
		return nil, err
	}

	return m, nil
}

// revive replaces a stopped or lost agent by a, which takes over its id, name and age, and its keys by
// key. The caller holds m.Changing.
func (la *launcher) revive(ctx context.Context, m *team.Member, a parley.Agent, key *store.APIKey) error {
	old := m.Agent()
	if old.State != parley.StateTerminated {
		if err := la.ts.roster.Hosts.RefuseElsewhere(m, "parley stop "+m.Name); err != nil {
			return err
		}
	}
	if m.Kind != parley.KindTerminal || m.Terminal() != nil && old.State.Live() {
		return nameTaken(m)
	}

	if m.Terminal() != nil || old.State != parley.StateTerminated {
		// Its program ended by itself and the terminal still shows its last screen, or it lost its
		// terminal and its processes may still run.
		if _, err := la.ts.stopper.end(ctx, m, parley.StateStarting, "launched again"); err != nil {
			return err
		}
	}

	a.ID, a.Name, a.CreatedAt, a.Reserved, a.Pull = old.ID, old.Name, old.CreatedAt, old.Reserved, old.Pull
	if a.Session.Begun() { // and it is not told its prompt again
		a.PromptHash = old.PromptHash
	}
	here := la.ts.roster.Hosts.Here(m)
	if w := old.Worktree; a.Worktree == nil && here && inWorktree(w, a.Dir) {
		a.Worktree = w
	}
	if a.Adopted() { // the pane may still show what was typed there before
		a.Seal = cmp.Or(old.Seal, a.Seal)
	}

	return la.ts.roster.Revive(ctx, m, a, key)
}

// identify adds to a launch the variables that tell an agent who it is and what is reserved for it.
func (la *launcher) identify(ctx context.Context, m *team.Member, l *launch, key string) error {
	dir, err := la.ts.opts.Boundary.Sockets.Open(m.ID)
	if err != nil {
		return err
	}
	if moved := l.ports.String() != m.Agent().Reserved.String(); moved {
		if err := la.ts.roster.Records.SetPorts(ctx, m, l.ports); err != nil {
			return err
		}
	}

	own := map[string]string{
		parley.WorkspaceVariable: la.ts.opts.Workspace,
		parley.KeyVariable:       key,
		parley.AgentVariable:     m.Name,
		parley.AgentIDVariable:   m.ID,
	}
	for name, port := range l.ports {
		own[name] = strconv.Itoa(port)
	}
	if dir != "" {
		own[parley.SocketVariable] = filepath.Join(dir, SocketName)
	}
	l.Env = environment(l.Env, own)
	return nil
}

// nameTaken refuses a name that another agent has.
func nameTaken(m *team.Member) error {
	a := m.Agent()
	return parley.Errorf(parley.AgentExists, "there is an agent %s already (%s, %s)", m.Name, a.Kind, a.State).
		Suggest("Choose another name, or stop it first: parley stop %s", m.Name)
}

// run starts the program in a session of width by height cells, 0 for tmux's default, and waits until
// it runs. The caller holds m.Changing.
func (la *launcher) run(
	ctx context.Context, m *team.Member, p choice, l *launch, width, height int,
) (*parley.LaunchAgentResult, error) {
	la.enclose(m, p.Profile, l)
	m.Reports.Forget()
	la.ts.launching.Add(1)
	defer la.ts.launching.Add(-1)

	var info tmux.PaneInfo
	first, end := la.firstPrompt(ctx, m, p.Profile, l)
	defer end()
	full, err := la.handOver(ctx, m, p.Profile, l, first)
	if err == nil {
		info, err = la.open(ctx, m, full, width, height)
	}

	recording := context.WithoutCancel(ctx)
	if err != nil {
		state := parley.StateTerminated
		if l.first.Key != "" { // another program starts in its place, also after a crash
			state = parley.StateUnreachable
		}
		evidence := "could not be started: " + plain.Truncate(plain.CleanLine(err.Error()), 200)
		return nil, errors.Join(err, la.ts.roster.Records.SetState(recording, m, state, evidence, nil),
			la.unsaid(recording, first, full))
	}

	la.launches.remember(m, l)
	t := newTerminal(la.ts, m, p.Profile, info)
	if p.said {
		t.NoteSaid(filepath.Base(profile.Unwrapped(l.Argv)[0]))
	}
	t.File = team.ProgramFile{Path: l.path, Env: Inherited(l.Env)}
	t.Started, t.Resumed = la.ts.now(), l.begin.resumed
	m.StartTerminal(t)
	la.ts.changes.Add(1)
	err = la.ts.roster.Records.SetState(recording, m, parley.StateStarting, p.evidence(), nil)
	if err == nil { // what could not be started has no word
		err = la.giveWord(recording, p, full)
	}
	if err != nil {
		return nil, err
	}

	la.ts.watcher.lookSoon()
	m.Wake()

	res := &parley.LaunchAgentResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		State:   m.Agent().State,
		Profile: p.Name,
		ByName:  p.byName,
		PID:     info.PID,
		Attach:  la.ts.tmux.AttachCommand(m.Name),
		Dir:     l.Dir,

		Conversation:    l.begin.conversation(p.Profile),
		PromptMessageID: first.MessageID,
	}
	la.tellWord(res, full)
	res.Reserved, res.PortsMoved = l.ports, l.moved
	return res, nil
}

// open makes the session and waits until its program runs. After an error nothing of it is left.
func (la *launcher) open(ctx context.Context, m *team.Member, l *launch, width, height int) (tmux.PaneInfo, error) {
	if err := la.ts.refuseEnding(); err != nil {
		return tmux.PaneInfo{}, err
	}

	file, err := l.write(la.ts.opts.LaunchDir)
	if err != nil {
		return tmux.PaneInfo{}, err
	}

	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()

	session := tmux.SessionOptions{
		Name:   m.Name,
		Dir:    l.Dir,
		Width:  width,
		Height: height,
		Owner:  m.ID,
		Argv:   []string{la.ts.opts.Executable, "_exec", file},
	}
	info, err := la.ts.tmux.NewSession(ctx, session)
	if errors.Is(err, tmux.ErrSessionExists) { // of a program that has ended, or of a launch that a crash interrupted
		if err = la.ts.tmux.KillSession(ctx, m.Name, m.ID); err == nil {
			info, err = la.ts.tmux.NewSession(ctx, session)
		}
	}

	if err == nil {
		err = la.waitForProgram(ctx, info, file)
	}

	if err != nil {
		_, typed := errors.AsType[*parley.Error](err)
		unread := os.Remove(file)
		l.ran = !typed && unread != nil
		err = errors.Join(err, ignoreError(unread, fs.ErrNotExist), la.cleanUp(ctx, m, info))
		if !typed {
			return tmux.PaneInfo{}, tmuxError(err)
		}
		return tmux.PaneInfo{}, err
	}

	return info, nil
}

// ExecFailed is the exit status of `parley _exec` when it cannot start the program. Shells use it for a
// command that they cannot find.
const ExecFailed = 127
