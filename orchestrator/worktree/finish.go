package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"parley"
	"parley/internal/sh"
)

// Finish says what becomes of a worktree when its agent has ended.
type Finish struct {
	Agent                  string
	Merge, Remove, Discard bool
	Force                  bool // removes also what git ignores, and what others are in
	How                    parley.MergeWay
}

// finishing is the end of one worktree.
type finishing struct {
	repo *repo
	w    *parley.Worktree
	f    Finish
}

// Check reports whether the worktree can be finished so, as it stands now. It changes nothing. The
// error tells what to do instead.
func Check(ctx context.Context, w *parley.Worktree, f Finish) error {
	_, err := os.Stat(w.Path)
	gone := errors.Is(err, fs.ErrNotExist)
	if gone && f.Merge {
		return parley.Errorf(parley.InvalidArgument, "the worktree of %s is gone: %s", f.Agent, w.Path).
			Suggest("Forget it: git -C %s worktree prune; the branch %s is still there",
				sh.Word(w.Repository), w.Branch)
	}

	r, err := open(ctx, w.Repository)
	if err != nil {
		return err
	}

	x := finishing{r, w, f}
	if !f.Discard && !gone {
		if err := x.checkCommitted(ctx); err != nil {
			return err
		}
	}

	switch {
	case f.Merge:
		m := merging{r, w}
		if err = m.check(ctx); err == nil && f.How == parley.MergedFast {
			err = m.checkFast(ctx)
		}
	case f.Remove && !f.Discard:
		err = x.checkMerged(ctx)
	}
	if err == nil && f.Remove && !gone {
		err = x.checkRemoval(ctx)
	}

	return err
}

// checkCommitted refuses a worktree with work that is not committed, or on another branch.
func (x finishing) checkCommitted(ctx context.Context) error {
	there, err := x.repo.in(ctx, x.w.Path)
	if err != nil {
		return err
	}
	files, _, err := there.work(ctx, x.w.Repository)
	if err != nil {
		return err
	}

	if n := len(files); n > 0 {
		e := parley.Errorf(parley.InvalidArgument, "%s has not committed %s in %s: %s", x.f.Agent, plural(n, "file"),
			x.w.Path, few(files))
		if x.f.Merge {
			return e.Suggest("Ask it to commit, or commit there yourself: git -C %s add FILES && git -C %s commit",
				sh.Word(x.w.Path), sh.Word(x.w.Path))
		}
		return e.Suggest(
			"Look at them: parley diff %s. To throw them away: parley stop %s --remove --discard", x.f.Agent, x.f.Agent)
	}

	if now, err := there.branch(ctx); err != nil || now != x.w.Branch {
		return errors.Join(err, parley.Errorf(parley.InvalidArgument, "%s is on %s now, not on %s", x.w.Path, now,
			x.w.Branch).
			Suggest("Merge by hand, or switch back: git -C %s switch %s", sh.Word(x.w.Path),
				sh.Word(x.w.Branch)))
	}

	return nil
}

// checkMerged refuses to remove a branch of parley's whose commits its base lacks. Another branch
// stays in any case.
func (x finishing) checkMerged(ctx context.Context) error {
	if !x.w.Made {
		return nil
	}
	ahead, _, err := x.repo.apart(ctx, ref(x.w.Base), ref(x.w.Branch))
	if err != nil || ahead == 0 {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "%s has %s that %s lacks", x.w.Branch, plural(ahead, "commit"),
		x.w.Base).
		Suggest(
			"Merge it: parley stop %s --merge --remove. To throw it away: parley stop %s --remove --discard",
			x.f.Agent, x.f.Agent)
}

// Run checks again and finishes the worktree. It returns how the branch was merged.
func Run(ctx context.Context, w *parley.Worktree, f Finish) (merged parley.MergeWay, err error) {
	r, err := open(ctx, w.Repository)
	if err != nil {
		return "", err
	}
	x, tip := finishing{r, w, f}, r.tip(ctx, w.Branch)
	if err := Check(ctx, w, f); err != nil {
		return "", err
	}

	if f.Merge {
		if merged, err = (merging{r, w}).run(ctx, f); err != nil {
			return "", err
		}
	}
	if f.Merge && merged != parley.MergedSquash || !f.Merge && f.Remove && !f.Discard && w.Made {
		if err := x.checkArrived(ctx, tip); err != nil {
			return "", err
		}
	}
	if f.Remove {
		err = x.drop(ctx, tip)
	}

	return merged, err
}

// checkArrived refuses to go on unless the base has the commit tip of the branch, whatever git merge said. tip
// is "" if there is no branch.
func (x finishing) checkArrived(ctx context.Context, tip string) error {
	if tip == "" {
		return nil
	}
	if _, err := x.repo.git(ctx, "merge-base", "--is-ancestor", tip, ref(x.w.Base)); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s lacks the last commit of %s: %w", x.w.Base, x.w.Branch, err).
			Suggest("Look at both: git -C %s log --graph %s %s", sh.Word(x.repo.dir),
				sh.Word(x.w.Base), sh.Word(x.w.Branch))
	}
	return nil
}

// drop removes the worktree, and its branch if parley made it, whose commits the caller has checked.
// Unless they are discarded, files of the agent that are not committed stay, with the worktree. A branch that has
// moved on from the tip stays.
func (x finishing) drop(ctx context.Context, tip string) error {
	from, remove := x.repo, []string{"worktree", "remove", x.w.Path}
	_, err := os.Stat(x.w.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remove = []string{"worktree", "prune"}
	case x.f.Discard:
		remove = []string{"worktree", "remove", "--force", x.w.Path}
	default: // git looks at the files there
		there, err := x.repo.in(ctx, x.w.Path)
		if err != nil {
			return err
		}
		from = &repo{dir: x.repo.dir, guard: there.guard}
		if x.onlyKnown(ctx, there) {
			remove = []string{"worktree", "remove", "--force", x.w.Path}
		}
	}

	if _, err := from.git(ctx, remove...); err != nil {
		return parley.Errorf(parley.InvalidArgument, "the worktree was not removed: %w", err).
			Suggest("Look into %s.", x.w.Path)
	}
	if !x.w.Made || tip == "" {
		return nil
	}
	if _, err := x.repo.git(ctx, "update-ref", "--no-deref", "-d", ref(x.w.Branch), tip); err != nil {
		return parley.Errorf(parley.InvalidArgument, "the worktree was removed, but its branch was not: %w", err).
			Suggest("Look at it: git -C %s log %s", sh.Word(x.repo.dir), sh.Word(x.w.Branch))
	}

	return nil
}

// onlyKnown reports whether git would not remove a worktree although nothing in it is the agent's: it has files that
// were copied into it, or submodules that are not checked out, or are to go.
func (x finishing) onlyKnown(ctx context.Context, there *repo) bool {
	files, _, err := there.work(ctx, x.w.Repository)
	sub, failed := there.submodule(ctx)
	return err == nil && failed == nil && len(files) == 0 && (sub == "" || x.f.Force)
}

// tip returns the last commit of a branch, "" if there is no such branch.
func (r *repo) tip(ctx context.Context, branch string) string {
	tip, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref(branch))
	if err != nil {
		return ""
	}
	return tip
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
