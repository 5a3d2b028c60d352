package terminal

import (
	"cmp"
	"context"
	"errors"
	"os"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
)

// RestartAgent does op.RestartAgent.
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

	a, last := m.Agent(), m.Terminal()
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

	if err := ts.launcher.refuseOtherSession(ctx, m.Name, m.ID); err != nil {
		return nil, err
	}
	if _, err := ts.stopper.end(ctx, m, parley.StateStarting, "restarted"); err != nil {
		return nil, err
	}
	if err := ts.roster.Records.SetLabels(ctx, m, a); err != nil {
		return nil, err
	}
	if err := ts.launcher.renew(ctx, m, p, l); err != nil {
		return nil, err
	}

	width, height := 0, 0
	if last != nil {
		width, height = cmp.Or(last.Info.LaunchWidth, last.Info.Width), cmp.Or(last.Info.LaunchHeight, last.Info.Height)
	}

	res, err := ts.launcher.run(ctx, m, p, l, width, height)
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

// renew gives a member that is launched again the profile, the session and a new key of the launch.
// The caller holds m.Changing.
func (la *launcher) renew(ctx context.Context, m *team.Member, p choice, l *launch) error {
	if err := la.ts.roster.Records.SetSession(ctx, m, l.begin.session); err != nil {
		return err
	}
	if err := la.ts.roster.Records.SetProfile(ctx, m, p.stored()); err != nil {
		return err
	}

	key, stored := la.ts.roster.NewKey(parley.KeyLaunched)
	if _, err := la.ts.roster.SwapKeys(ctx, m, stored, (*team.Key).IsLaunched); err != nil {
		return err
	}
	own, err := la.identity(m, key)
	if err != nil {
		return err
	}
	l.Env = environment(l.Env, own)

	return nil
}
