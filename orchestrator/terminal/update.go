package terminal

import (
	"cmp"
	"context"
	"errors"
	"os"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
	"parley/tmux"
)

// UpdateAgent does op.UpdateAgent, except for the prompt.
func (ts *Terminals) UpdateAgent(
	ctx context.Context, req parley.UpdateAgentRequest,
) (*parley.UpdateAgentResult, error) {
	m, err := ts.terminalMember(req.Name)
	if err != nil {
		return nil, err
	}

	p, err := choose(ts.opts.Profiles, req.Profile, req.Command)
	if err != nil {
		return nil, err
	}
	p = p.say(ctx, ts, req.Profile)
	l, err := ts.launcher.plan(req.LaunchAgentRequest, p.Profile)
	if err != nil {
		return nil, err
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	have, err := standingOf(ctx, ts, m)
	if err != nil {
		return nil, err
	}

	inWorktree := req.Worktree != "" && req.Worktree != "false"
	if inWorktree && have.Worktree != nil {
		l.Dir = have.Dir // below which the file's directory is found again
	}

	want := wanted{req.LaunchAgentRequest, p.Profile, p.stored(), l.Argv, l.Dir}
	res := &parley.UpdateAgentResult{Answer: parley.OK, AgentID: m.ID, Name: m.Name, Changes: differences(have, want)}
	again := restarts(res.Changes)
	if inWorktree && have.Worktree == nil {
		res.Changes = append(res.Changes, parley.Change{What: "worktree", Then: req.Worktree, Means: parley.ByRestart})
		if !req.DryRun {
			return nil, noWorktree(m.Name)
		}
	}
	keeps := p.Session.Resumes() && have.Dir == l.Dir && p.continues(&have.Agent, req.Sandboxed()) && !req.Fresh &&
		!req.NoResume
	res.LosesConversation = again && !keeps

	if req.DryRun || len(res.Changes) == 0 {
		return res, nil
	}
	if res.LosesConversation && have.Session.Begun() && !req.Fresh {
		return nil, keepsConversation(have.Agent)
	}

	res.Changed = true
	if again {
		res.Launched, err = ts.launcher.relaunch(ctx, m, req, p, l)
		return res, err
	}

	return res, ts.roster.Records.SetLabels(ctx, m, labelled(have.Agent, req))
}

// standingOf describes a running agent. The error is AGENT_UNAVAILABLE if it does not run, and
// INVALID_ARGUMENT if parley did not launch it.
func standingOf(ctx context.Context, ts *Terminals, m *team.Member) (standing, error) {
	a, t := m.Agent(), m.Terminal()
	switch {
	case a.Adopted():
		return standing{}, parley.Errorf(parley.InvalidArgument, "%s was not launched by parley", m.Name).
			Suggest("Change it where it runs, or let it go with parley leave %s and launch it.", m.Name)
	case t == nil || !a.State.Live():
		return standing{}, parley.Errorf(parley.AgentUnavailable, "%s does not run", m.Name).
			Suggest("Start it: parley up, or parley restart %s.", m.Name)
	}

	if err := ts.sessions.learn(ctx, m, t); err != nil {
		return standing{}, err
	}

	have := standing{Agent: m.Agent(), width: t.Info.LaunchWidth, height: t.Info.LaunchHeight}
	if lineage, err := tmux.LineageOf(t.PID); err == nil && len(lineage.Line) > 0 {
		have.env = lineage.Line[0].Env
	}

	return have, nil
}

// relaunch starts the program of a member again as a request says. The caller holds m.Changing.
func (la *launcher) relaunch(
	ctx context.Context, m *team.Member, req parley.UpdateAgentRequest, p choice, l *launch,
) (*parley.LaunchAgentResult, error) {
	a := m.Agent()
	session := a.Session
	if req.Fresh || req.NoResume || !p.continues(&a, req.Sandboxed()) {
		session = parley.Session{}
	}

	var err error
	if l.begin, err = begin(p.Profile, l.Argv, session, team.NewID()); err != nil {
		return nil, err
	}
	l.first.Text = req.Prompt
	if err := refuseSandbox(ctx, req.Name, req.AgentSpec, l.Dir, a.Worktree); err != nil {
		return nil, err
	}
	if err := la.ts.Ports.forLaunch(ctx, l, m.Name, req.Ports); err != nil {
		return nil, err
	}
	if err := la.refuseOtherSession(ctx, m.Name, m.ID); err != nil {
		return nil, err
	}
	if _, err := la.ts.stopper.end(ctx, m, parley.StateStarting, "changed and restarted"); err != nil {
		return nil, err
	}

	req.LaunchAgentRequest.Profile = p.stored()
	a, key, stored := la.newAgent(req.LaunchAgentRequest, l)
	if err := la.revive(ctx, m, a, stored); err != nil {
		return nil, err
	}
	if err := la.identify(ctx, m, l, key); err != nil {
		return nil, err
	}
	return la.run(ctx, m, p, l, req.Width, req.Height)
}

// labelled returns the agent with what a request changes of it without a restart.
func labelled(a parley.Agent, req parley.UpdateAgentRequest) parley.Agent {
	a.AgentSpec, a.NoResume = parley.CleanSpec(req.AgentSpec), req.NoResume
	return a
}

// noWorktree refuses to move a running agent into a worktree.
func noWorktree(name string) error {
	return parley.Errorf(parley.InvalidArgument, "%s runs without a worktree, and is to have one", name).
		With("agent", name).
		Suggest("Stop it, and launch it in one: parley stop %s, then parley up. Nothing was changed.", name)
}

// keepsConversation refuses a change that would lose the conversation of an agent's program.
func keepsConversation(a parley.Agent) error {
	return parley.Errorf(parley.InvalidArgument,
		"the change would lose the conversation of %s, which belongs to its program and directory", a.Name).
		With("agent", a.Name).
		Suggest("To begin a new one: parley up --apply --fresh %s. Nothing was changed.", a.Name)
}

func (ts *Terminals) RestartAgent(
	ctx context.Context, req parley.RestartAgentRequest,
) (*parley.LaunchAgentResult, error) {
	m, err := ts.terminalMember(req.Agent)
	if err != nil {
		return nil, err
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	if err := ts.sessions.learn(ctx, m, m.Terminal()); err != nil {
		return nil, err
	}

	a := m.Agent()
	if a.Adopted() {
		return nil, refuseRestart(a)
	}

	p, err := choose(ts.opts.Profiles, cmp.Or(req.Profile, a.Profile), a.Command)
	if err != nil {
		return nil, err
	}

	p = p.say(ctx, ts, req.Profile)
	l, err := ts.launcher.again(m, req, p)
	if err != nil {
		return nil, err
	}
	if err := ts.opts.Boundary.encloseAgain(&a, p, l, req.Fresh); err != nil {
		return nil, err
	}
	if err := refuseSandbox(ctx, a.Name, a.AgentSpec, l.Dir, a.Worktree); err != nil {
		return nil, err
	}

	res, err := ts.launcher.replace(ctx, m, a, p, l, "restarted")
	if err != nil { // nothing of the new session was begun
		err = errors.Join(err, ts.roster.Records.SetSession(context.WithoutCancel(ctx), m, a.Session))
	}

	return res, err
}

// again returns the launch of an agent as it was launched before, which continues its session unless
// the request or the agent says otherwise. It changes nothing.
func (la *launcher) again(m *team.Member, req parley.RestartAgentRequest, p choice) (*launch, error) {
	a, old := m.Agent(), la.launches.find(m)
	dir := cmp.Or(a.Dir, req.Dir)
	if old != nil {
		dir = old.Dir
	}
	if err := mustExist(dir, &a); err != nil {
		return nil, err
	}

	l, err := la.plan(parley.LaunchAgentRequest{Name: a.Name, Command: a.Command, Dir: dir, Env: req.Env}, p.Profile)
	if old != nil {
		l, err = &launch{Argv: old.Argv, Dir: old.Dir, Env: old.Env, path: old.path}, nil
	}
	if err != nil {
		return nil, err
	}

	session := a.Session
	if req.Fresh || a.NoResume || a.Profile != p.stored() {
		session = parley.Session{}
	}
	l.begin, err = begin(p.Profile, l.Argv, session, team.NewID())

	return l, err
}

// mustExist refuses to restart an agent whose directory was removed, as with its worktree. "" is the workspace.
func mustExist(dir string, a *parley.Agent) error {
	if info, err := os.Stat(dir); dir == "" || err == nil && info.IsDir() {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "the directory of %s is gone: %s", a.Name, dir).
		Suggest("If it was a worktree, a launch makes it again: parley up, if parley.yaml names the agent; "+
			"else parley launch %s --worktree -- %s", a.Name, sh.Line(a.Command))
}

// replace ends the program of a member, and starts the one of a launch in its place. a has its labels, and evidence
// says why. The caller holds m.Changing.
func (la *launcher) replace(
	ctx context.Context, m *team.Member, a parley.Agent, p choice, l *launch, evidence string,
) (*parley.LaunchAgentResult, error) {
	last := m.Terminal()
	if err := la.ts.Ports.forLaunch(ctx, l, m.Name, a.Ports); err != nil {
		return nil, err
	}
	if err := la.refuseOtherSession(ctx, m.Name, m.ID); err != nil {
		return nil, err
	}
	if _, err := la.ts.stopper.end(ctx, m, parley.StateStarting, evidence); err != nil {
		return nil, err
	}
	if err := la.ts.roster.Records.SetLabels(ctx, m, a); err != nil {
		return nil, err
	}
	if err := la.renew(ctx, m, p, l); err != nil {
		return nil, err
	}

	width, height := 0, 0
	if last != nil {
		width, height = cmp.Or(last.Info.LaunchWidth, last.Info.Width), cmp.Or(last.Info.LaunchHeight, last.Info.Height)
	}
	return la.run(ctx, m, p, l, width, height)
}

// program returns what the agent of a launch runs.
func (l *launch) program(p choice) parley.Program {
	return parley.Program{Profile: p.stored(), Command: l.Argv, Session: l.begin.session}
}

// renew gives a member that is launched again the profile, the session and a new key of the launch.
// The caller holds m.Changing.
func (la *launcher) renew(ctx context.Context, m *team.Member, p choice, l *launch) error {
	if err := la.ts.roster.Records.SetProgram(ctx, m, l.program(p)); err != nil {
		return err
	}

	key, stored := la.ts.roster.NewKey(parley.KeyLaunched)
	if _, err := la.ts.roster.SwapKeys(ctx, m, stored, (*team.Key).IsLaunched); err != nil {
		return err
	}
	return la.identify(ctx, m, l, key)
}
