package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/op"
	"parley/orchestrator/pulls"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/orchestrator/worktree"
	"parley/plain"
	"parley/tmux"
)

// Worktrees does the operations on worktrees: the git worktrees of agents.
type Worktrees struct {
	*relay.Elsewhere
	Roster    *team.Roster
	Terminals *terminal.Terminals
	Service   parley.Service // sends reviews
	Workspace string
	Pulls     *pulls.Watcher
}

// make makes the worktree that a launch asks for, and makes the launch run in it. A request without
// one gives nil.
func (ws *Worktrees) make(ctx context.Context, req *parley.LaunchAgentRequest) (*worktree.Made, error) {
	if req.Worktree == "" {
		return nil, nil
	}

	plan := worktree.Plan{
		Agent: req.Name, Dir: req.Dir, Branch: req.Worktree, Copy: req.Copy, Setup: req.Setup, Env: os.Environ(),
	}
	if plan.Dir == "" {
		plan.Dir = ws.Workspace
	}
	if req.Env != nil {
		plan.Env = nil
		for name, value := range req.Env {
			plan.Env = append(plan.Env, name+"="+value)
		}
	}

	if m := ws.Roster.ByName(req.Name); m != nil {
		a := m.Agent()
		if a.State.Live() {
			return nil, parley.
				Errorf(parley.AgentExists, "there is an agent %s already (%s, %s)", m.Name, a.Kind, a.State).
				Suggest("Choose another name, or stop it first: parley stop %s", m.Name)
		}
		plan.Agent, plan.Before = m.Name, a.Worktree
	}
	plan.Folder = req.Sandboxed()
	if len(req.Ports) > 0 {
		reserved, err := ws.Terminals.Ports.Reserve(ctx, req.Name, req.Ports)
		if err != nil {
			return nil, err
		}
		for name, port := range reserved {
			plan.Env = append(plan.Env, fmt.Sprintf("%s=%d", name, port))
		}
	}

	made, err := worktree.Make(ctx, plan)
	if err != nil {
		return nil, err
	}
	req.Dir = made.Dir

	return made, nil
}

// settle records the worktree of an agent that was launched. If the launch failed, a worktree that
// was made for it is removed.
func (ws *Worktrees) settle(
	ctx context.Context, made *worktree.Made, res *parley.LaunchAgentResult, failed error,
) error {
	if made == nil {
		return failed
	}

	ctx = context.WithoutCancel(ctx)
	if failed != nil {
		m := ws.Roster.ByName(filepath.Base(made.Path))
		if !made.Fresh || m != nil && m.Agent().State.Live() {
			return failed
		}
		_ = worktree.Undo(ctx, made)               // the next launch finds what is left
		if m != nil && m.Agent().Worktree != nil { // recorded before the start
			failed = errors.Join(failed, ws.Roster.Records.SetWorktree(ctx, m, nil))
		}
		return failed
	}

	m, err := ws.Roster.Find(res.AgentID)
	if err != nil {
		return err
	}
	res.Worktree, res.NotCopied = &made.Worktree, made.Missing

	return ws.Roster.Records.SetWorktree(ctx, m, &made.Worktree)
}

// of returns the worktree of an agent by name, nil if it has none.
func (ws *Worktrees) of(name string) *parley.Worktree {
	m := ws.Roster.ByName(name)
	if m == nil {
		return nil
	}
	return m.Agent().Worktree
}

// tellLeft adds to the result of a launch what becomes of the worktree that the agent had before, if it no longer
// works there.
func (ws *Worktrees) tellLeft(before *parley.Worktree, res *parley.LaunchAgentResult) {
	if before == nil || ws.of(res.Name) != nil {
		return
	}
	if _, err := os.Lstat(before.Path); err != nil {
		return
	}

	left := fmt.Sprintf("it does not work in the worktree that it had, which stays with the branch %s: "+
		"parley launch %s --worktree works there again, git worktree remove %s ends it",
		before.Branch, res.Name, sh.Word(before.Path))
	if res.Warning != "" {
		res.Warning += "; "
	}
	res.Warning += left
}

// ListWorktrees does op.ListWorktrees. A worktree that git cannot read is listed with
// the problem.
func (ws *Worktrees) ListWorktrees(
	ctx context.Context, req parley.WorktreesRequest,
) (*parley.WorktreesResult, error) {
	members := ws.Roster.All()
	if req.Agent != "" {
		m, err := ws.Roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		members = []*team.Member{m}
	}

	res := &parley.WorktreesResult{Answer: parley.OK, Worktrees: []parley.WorktreeStatus{}}
	for _, m := range members {
		w := m.Agent().Worktree
		if w == nil {
			continue
		}

		s := parley.WorktreeStatus{Worktree: *w, AgentID: m.ID, Name: m.Name}
		there, err := relay.Across(ctx, ws.Elsewhere, ws.HostOf(m.ID), op.ListWorktrees,
			parley.WorktreesRequest{Agent: m.ID}, lookAt(s))
		switch {
		case err != nil:
			s.Problem = plain.CleanLine(err.Error())
		case len(there.Worktrees) == 1:
			s = there.Worktrees[0]
		}
		res.Worktrees = append(res.Worktrees, s)
	}

	return res, nil
}

// lookAt returns what completes the status of a worktree on this host.
func lookAt(
	s parley.WorktreeStatus,
) func(context.Context, parley.WorktreesRequest) (*parley.WorktreesResult, error) {
	return func(ctx context.Context, _ parley.WorktreesRequest) (*parley.WorktreesResult, error) {
		d, err := worktree.Look(ctx, &s.Worktree)
		if err != nil {
			return nil, err
		}
		s.Branch, s.Ahead, s.Behind, s.Dirty = d.Branch, d.Ahead, d.Behind, d.Dirty
		return &parley.WorktreesResult{Worktrees: []parley.WorktreeStatus{s}}, nil
	}
}

func (ws *Worktrees) worktreeOf(agent string) (*team.Member, *parley.Worktree, error) {
	m, err := ws.Roster.Find(agent)
	if err != nil {
		return nil, nil, err
	}
	w := m.Agent().Worktree
	if w == nil {
		return nil, nil, parley.Errorf(parley.InvalidArgument, "%s has no worktree", m.Name).
			Suggest("Stop it: parley stop %s. A worktree is made at the launch: --worktree", m.Name)
	}
	return m, w, nil
}

// OpenPullRequest does op.OpenPullRequest, on the host that has the worktree.
func (ws *Worktrees) OpenPullRequest(
	ctx context.Context, req parley.OpenPullRequestRequest,
) (*parley.OpenPullRequestResult, error) {
	return relay.Across(ctx, ws.Elsewhere, ws.HostOf(req.Agent), op.OpenPullRequest, req, ws.openPull)
}

func (ws *Worktrees) openPull(
	ctx context.Context, req parley.OpenPullRequestRequest,
) (*parley.OpenPullRequestResult, error) {
	m, w, err := ws.worktreeOf(req.Agent)
	if err != nil {
		return nil, err
	}
	return ws.Pulls.Open(ctx, m, w, req)
}

// FinishWorktree does op.FinishWorktree. It looks before the agent is stopped, so that a
// refusal disturbs nobody, and again after, since the agent may have gone on.
func (ws *Worktrees) FinishWorktree(
	ctx context.Context, req parley.FinishWorktreeRequest,
) (*parley.FinishWorktreeResult, error) {
	return relay.Across(ctx, ws.Elsewhere, ws.HostOf(req.Agent), op.FinishWorktree, req, ws.finish)
}

func (ws *Worktrees) finish(
	ctx context.Context, req parley.FinishWorktreeRequest,
) (*parley.FinishWorktreeResult, error) {
	m, w, err := ws.worktreeOf(req.Agent)
	if err != nil {
		return nil, err
	}

	finish := worktree.Finish{
		Agent: m.Name, Merge: req.Merge, Remove: req.Remove, Discard: req.Discard, Force: req.Force, How: req.How,
	}
	if err := worktree.Check(ctx, w, finish); err != nil {
		return nil, err
	}
	if err := ws.checkInUse(m, w.Path, finish, terminal.Processes(m)); err != nil {
		return nil, err
	}

	res := &parley.FinishWorktreeResult{Answer: parley.OK, AgentID: m.ID, Name: m.Name, Worktree: *w}
	if m.Agent().State != parley.StateTerminated && !req.Keep {
		stopped, err := ws.Terminals.StopAgent(ctx,
			parley.StopAgentRequest{Agent: m.ID, Reason: "its work is finished"})
		if err != nil {
			return nil, err
		}
		res.Ended = stopped.Ended
	}

	if err := ws.checkInUse(m, w.Path, finish, nil); err != nil {
		return nil, stoppedButKept(m, err)
	}

	ctx = context.WithoutCancel(ctx) // half a merge would need a person
	if res.Merged, err = worktree.Run(ctx, w, finish); err != nil {
		if req.Keep {
			return nil, err
		}
		return nil, stoppedButKept(m, err)
	}
	if req.Remove {
		res.Removed = true
		err = errors.Join(ws.Roster.Records.SetWorktree(ctx, m, nil), ws.Roster.Records.SetPull(ctx, m, nil))
		if len(m.Agent().Reserved) > 0 {
			err = errors.Join(err, ws.Terminals.Ports.GiveBack(ctx, m.Name))
		}
		return res, err
	}

	return res, nil
}

// checkInUse refuses to remove the directory of a worktree in which another agent works, or a process that is not
// among own.
func (ws *Worktrees) checkInUse(m *team.Member, dir string, finish worktree.Finish, own []int) error {
	if !finish.Remove {
		return nil
	}
	for _, other := range ws.Roster.All() {
		a := other.Agent()
		if other != m && a.State.Live() && ws.Roster.Hosts.Here(other) && inside(a.Dir, dir) {
			return parley.Errorf(parley.InvalidArgument, "%s works in the worktree of %s", other.Name, m.Name).
				With("agent", other.Name).Suggest("Stop it first: parley stop %s", other.Name)
		}
	}

	var users []string
	for _, pid := range tmux.WorkingIn(dir) {
		if !slices.Contains(own, pid) && tmux.Alive(pid) {
			users = append(users, fmt.Sprintf("%s (process %d)", terminal.ProgramName(pid), pid))
		}
	}
	return finish.InUse(dir, users)
}

// inside reports whether a directory is another one, or below it.
func inside(dir, above string) bool {
	return dir == above || strings.HasPrefix(dir, above+string(filepath.Separator))
}

// stoppedButKept says that an agent has ended although its worktree could not be finished.
func stoppedButKept(m *team.Member, err error) error {
	e := parley.AsError(err)
	kept := parley.Errorf(e.Code, "%s was stopped, and its worktree kept: %w", m.Name, err).Suggest("%s", e.Action)
	kept.Details = e.Details
	return kept
}
