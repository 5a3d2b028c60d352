package terminal

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/orchestrator/team"
	"parley/orchestrator/worktree"
	"parley/program/profile"
	"parley/program/sandbox"
)

// SocketName is the name of an agent's own socket in its directory.
const SocketName = "s"

// noSockets is for a service without a daemon.
type noSockets struct{}

func (noSockets) Open(string) (string, error) { return "", nil }
func (noSockets) Beckon(string, bool) error   { return nil }
func (noSockets) Remove(string) error         { return nil }
func (noSockets) Spools() []string            { return nil }

// sandboxHome returns the private home of an agent in a sandbox. It outlives a stop, so that the agent's program finds
// its conversation again.
func (la *launcher) sandboxHome(m *team.Member) string { return filepath.Join(la.homes(), m.ID) }

// homes is the directory of the private homes.
func (la *launcher) homes() string { return filepath.Join(la.ts.opts.LaunchDir, "homes") }

// refuseSandbox returns why an agent of this spec cannot be launched in that directory, nil if it can. w is its
// worktree, or nil.
func refuseSandbox(ctx context.Context, name string, spec parley.AgentSpec, dir string, w *parley.Worktree) error {
	if !spec.Sandboxed() {
		if len(spec.Read) > 0 || len(spec.Write) > 0 || spec.Network != "" {
			return parley.Errorf(parley.InvalidArgument, "read, write and network are of a sandbox").
				Suggest("Add sandbox to the launch of %s, or leave them out.", name)
		}
		return nil
	}
	if spec.Orchestrate {
		return parley.Errorf(parley.InvalidArgument,
			"an agent in a sandbox cannot orchestrate: what it launches would not be in one").
			Suggest("Leave out orchestrate or sandbox for %s.", name)
	}
	if err := sandbox.Usable(ctx); err != nil {
		return err
	}
	if _, ok := worktree.TreeOf(dir); ok && !inWorktree(w, dir) {
		return parley.Errorf(parley.InvalidArgument,
			"a sandbox cannot be in a repository's own checkout: what its git runs and every branch would be in reach").
			Suggest("Give %s a worktree: --worktree", name)
	}
	return nil
}

// enclose puts a launch into the sandbox of its agent, if it has one: it gets the environment that belongs there. What
// it may see is worked out when the program is started.
func (la *launcher) enclose(m *team.Member, p *profile.Profile, l *launch) {
	a := m.Agent()
	if !a.Sandboxed() {
		return
	}
	l.Env = sandbox.Environ(l.Env, la.sandboxHome(m), slices.Concat(p.Sandbox.Env, a.OwnEnv, a.Ports))
}

// box works out what the program of a launch may see, once its private files are written.
func (la *launcher) box(ctx context.Context, m *team.Member, p *profile.Profile, l *launch) error {
	a := m.Agent()
	if !a.Sandboxed() {
		return nil
	}
	plan := sandbox.Plan{
		Dir: l.Dir, Program: l.path, PATH: variable(l.Env, "PATH"), Parley: la.ts.opts.Executable,
		Private: PrivateDir(la.ts.opts.LaunchDir, m.ID), Home: la.sandboxHome(m),
		Socket: filepath.Dir(variable(l.Env, parley.SocketVariable)),
		Read:   a.Read, Write: a.Write, Offline: a.Network == "none",
		Hidden: la.ts.opts.Boundary.Hidden, User: la.ts.opts.Boundary.Home,
	}
	if err := os.MkdirAll(plan.Private, 0o700); err != nil {
		return fmt.Errorf("make the private files of %s: %w", m.Name, err)
	}

	home := sandbox.Home{
		Path: plan.Home, User: la.ts.opts.Boundary.Home,
		Copied: p.Sandbox.Copied, Read: p.Sandbox.Read, Shared: p.Sandbox.Shared, Links: runtime.GOOS == "darwin",
	}
	home.Name, home.Email = worktree.Author(ctx, l.Dir)
	var err error
	if plan.Shared, err = home.Make(); err != nil {
		return err
	}
	if plan.Git, err = gitOf(ctx, la.ts.roster, m, a.Worktree, l.Dir); err != nil {
		return err
	}
	l.Box, err = plan.Arguments()
	return err
}

// gitOf returns the worktree that parley made for an agent, nil if it works in none. What names its parts is not asked:
// the agent can write some of that.
func gitOf(
	ctx context.Context, roster *team.Roster, m *team.Member, w *parley.Worktree, dir string,
) (*sandbox.Git, error) {
	if w == nil || !inWorktree(w, dir) {
		return nil, nil
	}
	others, folders := []string{worktree.BranchOf(ctx, w.Repository)}, []string(nil)
	for _, other := range roster.All() {
		o := other.Agent()
		if other == m || o.Worktree == nil || o.Worktree.Repository != w.Repository {
			continue
		}
		others = append(others, o.Worktree.Branch)
		if o.Sandboxed() {
			folders = append(folders, path.Dir(o.Worktree.Branch))
		}
	}
	folder := ownFolder(w.Branch, others, folders)
	if folder == "" {
		return nil, parley.Errorf(parley.InvalidArgument,
			"the branch of a sandbox needs a folder of its own, and %q has none", w.Branch).
			Suggest("Let parley name a new one (--worktree), name one like --worktree=agents/%s/work, or rename that "+
				"of the worktree: git -C %s branch -m agents/%s/work", m.Name, sh.Word(w.Path), m.Name)
	}
	common, own, err := worktree.PartsOf(w)
	if err != nil {
		return nil, err
	}
	g := &sandbox.Git{Top: w.Path, Dir: own, Common: common, Branch: folder}
	return g, g.Prepare()
}

// ownFolder returns the folder of a branch, which its agent can write as a whole. It is "" where the branches of others
// are in it, or come to be, or where the branch is in the folder of another sandbox.
func ownFolder(branch string, others, folders []string) string {
	folder := path.Dir(branch)
	shared := slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, folder+"/") }) ||
		slices.ContainsFunc(folders, func(other string) bool { return strings.HasPrefix(branch, other+"/") })
	if shared || folder == "." || folder == worktree.Folder {
		return ""
	}
	return folder
}

func inWorktree(w *parley.Worktree, dir string) bool {
	return w != nil && (dir == w.Path || strings.HasPrefix(dir, w.Path+"/"))
}

type worktreeKey struct{}

// InWorktree returns a context for the launch of an agent in a worktree that was made for it.
func InWorktree(ctx context.Context, w *parley.Worktree) context.Context {
	return context.WithValue(ctx, worktreeKey{}, w)
}

// worktreeOf returns the worktree of a launch, nil if none was made for it.
func worktreeOf(ctx context.Context) *parley.Worktree {
	w, _ := ctx.Value(worktreeKey{}).(*parley.Worktree)
	return w
}
