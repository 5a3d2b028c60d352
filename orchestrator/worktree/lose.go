package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

// checkRemoval refuses a removal that would take more away than the agent's branch: another worktree, a submodule,
// or files that only the worktree has.
func (x finishing) checkRemoval(ctx context.Context) error {
	inside, err := x.repo.worktreesIn(ctx, x.w.Path)
	if err != nil {
		return err
	}
	if len(inside) > 0 {
		return parley.Errorf(parley.InvalidArgument, "there is another worktree in that of %s: %s", x.f.Agent,
			inside[0]).
			Suggest("Remove that one first: git -C %s worktree remove %s, or parley stop NAME --remove, if an agent "+
				"has it",
				sh.Word(x.repo.dir), sh.Word(inside[0]))
	}
	if x.f.Force || x.f.Discard {
		return nil
	}

	there, err := x.repo.in(ctx, x.w.Path)
	if err != nil {
		return err
	}
	sub, err := there.submodule(ctx)
	if err != nil {
		return err
	}
	if sub != "" {
		return x.f.lose(sub, "there is another repository in the worktree of %s: %s", x.f.Agent, sub).
			Suggest("See whether it has work: git -C %s status. To remove it too: %s --force",
				sh.Word(filepath.Join(x.w.Path, sub)), x.f.command())
	}

	_, ignored, err := there.work(ctx, x.w.Repository)
	if err != nil || len(ignored) == 0 {
		return err
	}
	names := few(ignored)

	return x.f.lose(names, "%s has files in its worktree that git ignores, and that are nowhere else: %s", x.f.Agent,
		names).
		Suggest("Look at them in %s. To remove them too: %s --force", sh.Word(x.w.Path), x.f.command())
}

// lose is a refusal that Force overrules.
func (f Finish) lose(what, format string, args ...any) *parley.Error {
	return parley.Errorf(parley.InvalidArgument, format, args...).With(parley.NeedsForce, what)
}

// command returns the command that finishes a worktree so.
func (f Finish) command() string {
	words := []string{"parley stop", f.Agent}
	if f.Merge {
		words = append(words, "--merge")
	}
	if f.Remove {
		words = append(words, "--remove")
	}
	return strings.Join(words, " ")
}

// InUse refuses to remove a directory that others are in. users says who, as in bash (4711).
func (f Finish) InUse(dir string, users []string) error {
	if len(users) == 0 || f.Force || f.Discard {
		return nil
	}
	who := few(users)
	return f.lose(who, "a program is in the worktree of %s: %s", f.Agent, who).
		Suggest("End it, or let it leave %s. To remove the directory all the same: %s --force", sh.Word(dir),
			f.command())
}

// worktreesIn returns the other worktrees of the repository below a directory.
func (r *repo) worktreesIn(ctx context.Context, dir string) ([]string, error) {
	out, err := r.git(ctx, "worktree", "list", "--porcelain")
	var inside []string
	for line := range strings.Lines(out) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "worktree ")
		if _, err := os.Stat(path); ok && err == nil && strings.HasPrefix(path, dir+string(filepath.Separator)) {
			inside = append(inside, path)
		}
	}
	return inside, err
}

// submodule returns the path of a submodule, or of a repository that was added like one, that is checked out. It
// is "" if there is none.
func (r *repo) submodule(ctx context.Context) (string, error) {
	out, err := r.git(ctx, "ls-files", "--stage", "-z")
	for entry := range strings.SplitSeq(out, "\x00") {
		const mode = "160000 "
		_, path, ok := strings.Cut(entry, "\t")
		if !ok || !strings.HasPrefix(entry, mode) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(r.dir, path, ".git")); err == nil {
			return path, nil
		}
	}
	return "", err
}

// few lists the first of some names.
func few(names []string) string {
	const most = 3
	text := plain.CleanLine(plain.Truncate(strings.Join(names[:min(len(names), most)], ", "), 300))
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
