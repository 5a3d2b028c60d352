package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/internal/errand"
	"parley/internal/sh"
	"parley/plain"
)

// setupTime bounds one command of a set-up.
const setupTime = 10 * time.Minute

// Plan says which worktree an agent gets.
type Plan struct {
	Agent  string           // its name, which is that of the directory too
	Dir    string           // where it would run without a worktree
	Branch string           // parley.WorktreeAuto for one of the agent's name
	Folder bool             // that has a folder of branches for itself
	Copy   []string         // files, relative to the repository
	Setup  []string         // commands of a shell
	Env    []string         // of the commands
	Before *parley.Worktree // what the agent had before; nil if it had none
}

// Made is a worktree that is ready.
type Made struct {
	parley.Worktree
	Dir     string   // where the agent runs in it
	Fresh   bool     // it was made now
	Missing []string // what was to be copied, and the repository does not have
}

// Make makes a worktree as planned, or finds the one that the agent had. A set-up that fails
// leaves nothing behind.
func Make(ctx context.Context, p Plan) (*Made, error) {
	r, err := open(ctx, p.Dir)
	if err != nil {
		return nil, err
	}

	top, err := r.line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || top == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is in a repository without a checkout", p.Dir).
			Suggest("Choose a directory of a checkout.")
	}

	below, err := r.line(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}

	m := &Made{Worktree: parley.Worktree{Path: filepath.Join(top, parley.WorktreesDir, p.Agent), Repository: top}}
	m.Dir = filepath.Join(m.Path, below)
	if r, err = r.in(ctx, top); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(m.Path); err == nil {
		return m, r.reuse(ctx, p, m)
	}

	return m, r.add(ctx, p, m)
}

// reuse takes the worktree that stands at m.Path.
func (r *repo) reuse(ctx context.Context, p Plan, m *Made) error {
	top, err := (&repo{dir: m.Path}).line(ctx, "rev-parse", "--show-toplevel")
	if err != nil || top != m.Path {
		return parley.Errorf(parley.InvalidArgument, "%s exists and is no worktree", m.Path).
			Suggest("Move it away.")
	}

	there, err := r.in(ctx, m.Path)
	if err != nil {
		return err
	}
	m.Branch, err = there.branch(ctx)
	if err != nil || m.Branch == noBranch {
		return parley.Errorf(parley.InvalidArgument, "the worktree %s is on no branch", m.Path).
			Suggest("Switch it to one: git -C %s switch BRANCH", sh.Word(m.Path))
	}
	if p.Branch != parley.WorktreeAuto && p.Branch != m.Branch {
		return parley.Errorf(parley.InvalidArgument, "%s has a worktree on %s already", p.Agent, m.Branch).
			Suggest("Launch it with --worktree alone, or remove that one first: parley stop %s --remove", p.Agent)
	}

	if p.Before != nil && p.Before.Path == m.Path && p.Before.Branch == m.Branch {
		m.Base, m.Made = p.Before.Base, p.Before.Made
		return nil
	}
	m.Base, err = r.base(ctx)

	return err
}

// base returns the branch that the repository is on.
func (r *repo) base(ctx context.Context) (string, error) {
	base, err := r.line(ctx, "symbolic-ref", "HEAD")
	if err != nil {
		return "", parley.Errorf(parley.InvalidArgument, "%s is on no branch", r.dir).
			Suggest("Switch it to the branch that the agent's work is to start from: git switch BRANCH")
	}
	if !r.has(ctx, "HEAD") {
		return "", noCommit(r.dir)
	}
	return strings.TrimPrefix(base, branches), nil
}

// noCommit refuses a repository that has nothing to start from, or to compare with.
func noCommit(dir string) error {
	return parley.Errorf(parley.InvalidArgument, "%s has no commit yet", dir).
		Suggest("Commit something first: git commit --allow-empty -m start")
}

// add makes the worktree and prepares it.
func (r *repo) add(ctx context.Context, p Plan, m *Made) (err error) {
	if m.Base, err = r.base(ctx); err != nil {
		return err
	}
	if err := r.chooseBranch(ctx, p, m); err != nil {
		return err
	}
	if err := hide(filepath.Dir(m.Path)); err != nil {
		return err
	}

	words := []string{"worktree", "add", "--quiet", "--no-checkout", m.Path, m.Branch}
	if m.Made {
		words = []string{"worktree", "add", "--quiet", "--no-checkout", "--no-track", "-b", m.Branch, m.Path, "HEAD"}
	}
	if _, err := r.git(ctx, words...); err != nil {
		return parley.Errorf(parley.InvalidArgument, "no worktree could be made: %w", err).
			Suggest("Look at the worktrees there are: git -C %s worktree list", sh.Word(r.dir))
	}

	m.Fresh = true
	err = r.checkOut(ctx, m)
	if err == nil {
		err = r.prepare(ctx, p, m)
	}
	if err != nil {
		return errors.Join(err, Undo(context.WithoutCancel(ctx), m))
	}

	return nil
}

// checkOut puts the branch's files into a new worktree.
func (r *repo) checkOut(ctx context.Context, m *Made) error {
	there, err := r.in(ctx, m.Path)
	if err != nil {
		return err
	}
	if _, err := there.git(ctx, "reset", "--hard", "--quiet"); err != nil {
		return parley.Errorf(parley.InvalidArgument, "no worktree could be made: %w", err).
			Suggest("Try the branch by hand: git -C %s switch %s", sh.Word(r.dir), sh.Word(m.Branch))
	}
	return nil
}

// Folder is that of the branches that parley names.
const Folder = "parley"

// chooseBranch says on which branch the worktree is, and whether that is new. A branch that
// exists is used only if it was named.
func (r *repo) chooseBranch(ctx context.Context, p Plan, m *Made) error {
	m.Branch = p.Branch
	if p.Branch == parley.WorktreeAuto {
		if m.Branch = Folder + "/" + p.Agent; p.Folder {
			m.Branch += "/work"
		}
	}

	if _, err := r.git(ctx, "check-ref-format", "--branch", m.Branch); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%q cannot be a branch", m.Branch).With("parameter", "worktree").
			Suggest("Give another name.")
	}

	where, err := r.checkedOut(ctx, m.Branch)
	if err != nil {
		return err
	}

	exists := r.has(ctx, ref(m.Branch))
	switch {
	case where != "":
		return parley.Errorf(parley.InvalidArgument, "the branch %s is checked out in %s", m.Branch, where).
			Suggest("Name another branch: --worktree=BRANCH")
	case exists && p.Branch == parley.WorktreeAuto:
		return parley.Errorf(parley.InvalidArgument, "the branch %s exists already", m.Branch).
			Suggest("Go on with it: --worktree=%s; or name another, or delete it: git branch -d %s",
				sh.Word(m.Branch), sh.Word(m.Branch))
	}
	if folder := path.Dir(m.Branch); !exists && r.has(ctx, ref(folder)) {
		return parley.Errorf(parley.InvalidArgument, "the branch %s stands where a folder of branches is to be",
			folder).
			Suggest("Name another branch, such as --worktree=%s/work, or delete that one: git branch -d %s",
				"agents/"+p.Agent, sh.Word(folder))
	}
	m.Made = !exists

	return nil
}

// checkedOut returns the worktree in which a branch is checked out, "" if none.
func (r *repo) checkedOut(ctx context.Context, branch string) (string, error) {
	out, err := r.git(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return "", err
	}

	path := ""
	for line := range strings.Lines(out) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "worktree":
			path = rest
		case word == "branch" && rest == ref(branch):
			return path, nil
		}
	}

	return "", nil
}

// hide makes the directory of worktrees, which git ignores by a file of its own. A link is refused: it
// can come with the repository, and lead to where its files do harm.
func hide(dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the directory of worktrees: %w", err)
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return parley.Errorf(parley.InvalidArgument, "%s is not a directory", dir).
			Suggest("Move it away: parley makes its worktrees in a directory of that name.")
	}

	f, err := os.OpenFile(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make the directory of worktrees: %w", err)
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// prepare copies files into the worktree, runs the set-up, and keeps what the worktree then has.
func (r *repo) prepare(ctx context.Context, p Plan, m *Made) error {
	there, err := r.in(ctx, m.Path)
	if err != nil {
		return err
	}

	var copied []string
	for _, name := range p.Copy {
		files, err := copyInto(m.Path, m.Repository, name)
		switch _, missing := os.Lstat(filepath.Join(m.Repository, name)); {
		case err != nil && filepath.IsLocal(name) && errors.Is(missing, fs.ErrNotExist):
			m.Missing = append(m.Missing, name)
		case err != nil:
			return parley.Errorf(parley.InvalidArgument, "%s was not copied into the worktree: %w", name, cause(err)).
				Suggest("Name files and directories of %s.", m.Repository)
		}
		copied = append(copied, files...)
	}
	if len(copied) == 0 && len(p.Setup) == 0 {
		return nil
	}

	before, err := there.status(ctx, "--untracked-files=all", "--ignored=matching")
	if err != nil {
		return err
	}
	for _, command := range p.Setup {
		if err := m.runSetup(ctx, command, p.Env); err != nil {
			return err
		}
	}

	return there.record(ctx, copied, before)
}

// runSetup runs one command in the worktree. What it has started ends with it when its time is over, and
// may stay when it ends before, as a server does.
func (m *Made) runSetup(ctx context.Context, command string, env []string) error {
	ctx, cancel := context.WithTimeout(ctx, setupTime)
	defer cancel()

	var said limited
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = m.Path, env, &said, &said
	errand.Prepare(cmd)

	err := cmd.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) { // what stays keeps the pipe open
		return nil
	}

	return parley.Errorf(parley.InvalidArgument, "the set-up command %q failed: %w: %s",
		plain.CleanLine(plain.Truncate(command, 200)), err, gist(said.String())).
		Suggest("Run it in %s by hand to see why. The worktree was removed again.", sh.Word(m.Repository))
}

// gist returns the first lines of what a command printed, where most name the cause, and the last one.
func gist(text string) string {
	const most, widest = 4, 160
	var lines []string
	for line := range strings.Lines(text) {
		if line = plain.CleanLine(line); line != "" {
			lines = append(lines, plain.Truncate(line, widest))
		}
	}
	if n := len(lines); n > most {
		lines = append(lines[:most-1:most-1], "…", lines[n-1])
	}
	return strings.Join(lines, " / ")
}

// Undo removes a worktree that was made just now, with its branch.
func Undo(ctx context.Context, m *Made) error {
	r, err := open(ctx, m.Repository)
	if err != nil {
		return err
	}
	return finishing{r, &m.Worktree, Finish{Discard: true}}.drop(ctx, r.tip(ctx, m.Branch))
}
