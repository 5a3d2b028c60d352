package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// Distance is how far a worktree is from its base.
type Distance struct {
	Branch        string // on which it is now
	Ahead, Behind int    // commits
	Dirty         int    // files that are changed or new
}

// Look asks git about a worktree.
func Look(ctx context.Context, w *parley.Worktree) (Distance, error) {
	r, err := open(ctx, w.Path)
	if err != nil {
		return Distance{}, err
	}

	files, _, err := r.work(ctx, w.Repository)
	if err != nil {
		return Distance{}, err
	}

	d := Distance{Dirty: len(files)}
	if d.Branch, err = r.branch(ctx); err != nil {
		return d, err
	}
	d.Ahead, d.Behind, err = r.apart(ctx, ref(w.Base), "HEAD")

	return d, err
}

// apart counts the commits that only one of two has.
func (r *repo) apart(ctx context.Context, base, branch string) (ahead, behind int, err error) {
	out, err := r.line(ctx, "rev-list", "--left-right", "--count", "--end-of-options", base+"..."+branch)
	if err != nil {
		return 0, 0, err
	}
	left, right, _ := strings.Cut(out, "\t")
	behind, _ = strconv.Atoi(left)
	ahead, _ = strconv.Atoi(right)
	return ahead, behind, nil
}

// work returns what an agent has made in a worktree and not committed, and that of it which git ignores. main is the
// repository's own checkout.
func (r *repo) work(ctx context.Context, main string) (open, ignored []string, err error) {
	changes, err := r.status(ctx, "--untracked-files=normal", "--ignored=matching")
	if err != nil || len(changes) == 0 {
		return nil, nil, err
	}

	k := &kept{beginning: r.began(ctx), top: r.dir, main: main}
	for _, c := range changes {
		switch {
		case !k.isWork(c):
		case c.ignored():
			ignored = append(ignored, c.path)
		default:
			open = append(open, c.path)
		}
	}

	return open, ignored, nil
}

// status returns what git status lists.
func (r *repo) status(ctx context.Context, flags ...string) ([]change, error) {
	words := []string{"status", "--porcelain=v1", "-z", "--ignore-submodules=all", "--no-renames"}
	out, err := r.git(ctx, append(words, flags...)...)
	if err != nil {
		return nil, err
	}
	return changesOf(out), nil
}

// change is a file that git status lists. A directory has a slash at its end.
type change struct {
	code string // two letters
	path string
}

func (c change) ignored() bool { return c.code == "!!" }
func (c change) tracked() bool { return c.code != "!!" && c.code != "??" }

// changesOf reads what git status prints: two letters, a space, and the path.
func changesOf(out string) []change {
	var all []change
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			all = append(all, change{entry[:2], entry[3:]})
		}
	}
	return all
}
