package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"parley"
)

// Finish says what becomes of a worktree when its agent has ended.
type Finish struct {
	Agent                  string
	Merge, Remove, Discard bool
	Force                  bool // removes also what git ignores, and what others are in
	How                    parley.MergeWay
}

// Check reports whether the worktree can be finished so, as it stands now. It changes nothing. The
// error tells what to do instead.
func Check(ctx context.Context, w *parley.Worktree, f Finish) error {
	_, err := os.Stat(w.Path)
	gone := errors.Is(err, fs.ErrNotExist)
	if gone && f.Merge {
		return parley.Errorf(parley.InvalidArgument, "the worktree of %s is gone: %s", f.Agent, w.Path).
			Suggest("Forget it: git -C %s worktree prune; the branch %s is still there",
				parley.ShellWord(w.Repository), w.Branch)
	}

	r, err := open(ctx, w.Repository)
	if err != nil {
		return err
	}

	if !f.Discard && !gone {
		if err := r.checkCommitted(ctx, w, f); err != nil {
			return err
		}
	}

	switch {
	case f.Merge:
		if err = r.checkMerge(ctx, w); err == nil && f.How == parley.MergedFast {
			err = r.checkFast(ctx, w)
		}
	case f.Remove && !f.Discard:
		err = r.checkMerged(ctx, w, f.Agent)
	}
	if err == nil && f.Remove && !gone {
		err = r.checkRemoval(ctx, w, f)
	}

	return err
}

// checkCommitted refuses a worktree with work that is not committed, or on another branch.
func (r *repo) checkCommitted(ctx context.Context, w *parley.Worktree, f Finish) error {
	there, err := r.in(ctx, w.Path)
	if err != nil {
		return err
	}
	files, _, err := there.work(ctx, w.Repository)
	if err != nil {
		return err
	}

	if n := len(files); n > 0 {
		e := parley.Errorf(parley.InvalidArgument, "%s has not committed %s in %s: %s", f.Agent, plural(n, "file"),
			w.Path, few(files))
		if f.Merge {
			return e.Suggest("Ask it to commit, or commit there yourself: git -C %s add FILES && git -C %s commit", parley.ShellWord(w.Path), parley.ShellWord(w.Path))
		}
		return e.Suggest(
			"Look at them: parley diff %s. To throw them away: parley stop %s --remove --discard", f.Agent, f.Agent)
	}

	if now, err := there.branch(ctx); err != nil || now != w.Branch {
		return errors.Join(err, parley.Errorf(parley.InvalidArgument, "%s is on %s now, not on %s", w.Path, now,
			w.Branch).
			Suggest("Merge by hand, or switch back: git -C %s switch %s", parley.ShellWord(w.Path), parley.ShellWord(w.Branch)))
	}

	return nil
}

// checkMerge refuses a merge that git would refuse, or that has conflicts.
func (r *repo) checkMerge(ctx context.Context, w *parley.Worktree) error {
	if strings.Contains(w.Base, "=") { // where git takes the name of the branch's settings to end
		return parley.Errorf(parley.InvalidArgument, "parley cannot merge into a branch named %q", w.Base).
			Suggest("Merge by hand: git -C %s merge %s", parley.ShellWord(r.dir), parley.ShellWord(w.Branch))
	}

	now, err := r.branch(ctx)
	if err != nil {
		return err
	}
	if now != w.Base {
		return parley.Errorf(parley.InvalidArgument, "%s is on %s, and the work belongs on %s", r.dir, now, w.Base).
			Suggest("Switch first: git -C %s switch %s", parley.ShellWord(r.dir), parley.ShellWord(w.Base))
	}

	changes, err := r.status(ctx, "--untracked-files=no")
	if err != nil {
		return err
	}
	if n := len(changes); n > 0 {
		var files []string
		for _, c := range changes {
			files = append(files, c.path)
		}
		return parley.Errorf(parley.InvalidArgument, "%s has %s that %s not committed: %s", r.dir, plural(n, "file"),
			isOrAre(n), few(files)).
			Suggest("Commit or stash first: git -C %s stash", parley.ShellWord(r.dir))
	}

	if files := (merging{r, w}).conflicts(ctx); len(files) > 0 {
		return conflict(w, strings.Join(files, ", "))
	}
	return nil
}

// checkFast refuses a fast-forward that is none.
func (r *repo) checkFast(ctx context.Context, w *parley.Worktree) error {
	_, behind, err := r.apart(ctx, ref(w.Base), ref(w.Branch))
	if err != nil || behind == 0 {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "%s has %s that %s lacks, so it cannot be fast-forwarded", w.Base,
		plural(behind, "commit"), w.Branch).
		Suggest("Merge with a commit, or ask the agent to rebase its branch onto %s.", w.Base)
}

func conflict(w *parley.Worktree, files string) error {
	files = parley.CleanLine(parley.Truncate(files, 300))
	return parley.Errorf(parley.InvalidArgument, "%s and %s conflict in %s", w.Branch, w.Base, files).
		Suggest("Ask the agent to merge %s into its branch and to solve that, then try again; or merge by hand: "+
			"git -C %s merge %s", w.Base, parley.ShellWord(w.Repository), parley.ShellWord(w.Branch))
}

// checkMerged refuses to remove a branch of parley's whose commits its base lacks. Another branch
// stays in any case.
func (r *repo) checkMerged(ctx context.Context, w *parley.Worktree, agent string) error {
	if !w.Made {
		return nil
	}
	ahead, _, err := r.apart(ctx, ref(w.Base), ref(w.Branch))
	if err != nil || ahead == 0 {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "%s has %s that %s lacks", w.Branch, plural(ahead, "commit"), w.Base).
		Suggest(
			"Merge it: parley stop %s --merge --remove. To throw it away: parley stop %s --remove --discard", agent, agent)
}

// Run checks again and finishes the worktree. It returns how the branch was merged.
func Run(ctx context.Context, w *parley.Worktree, f Finish) (merged parley.MergeWay, err error) {
	r, err := open(ctx, w.Repository)
	if err != nil {
		return "", err
	}
	tip := r.tip(ctx, w.Branch)
	if err := Check(ctx, w, f); err != nil {
		return "", err
	}

	if f.Merge {
		if merged, err = (merging{r, w}).run(ctx, f); err != nil {
			return "", err
		}
	}
	if f.Merge && merged != parley.MergedSquash || !f.Merge && f.Remove && !f.Discard && w.Made {
		if err := r.checkArrived(ctx, w, tip); err != nil {
			return "", err
		}
	}
	if f.Remove {
		err = r.drop(ctx, w, f, tip)
	}

	return merged, err
}

// checkArrived refuses to go on unless the base has the commit tip of the branch, whatever git merge said. tip
// is "" if there is no branch.
func (r *repo) checkArrived(ctx context.Context, w *parley.Worktree, tip string) error {
	if tip == "" {
		return nil
	}
	if _, err := r.git(ctx, "merge-base", "--is-ancestor", tip, ref(w.Base)); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s lacks the last commit of %s: %w", w.Base, w.Branch, err).
			Suggest("Look at both: git -C %s log --graph %s %s", parley.ShellWord(r.dir),
				parley.ShellWord(w.Base), parley.ShellWord(w.Branch))
	}
	return nil
}

// drop removes the worktree, and its branch if parley made it, whose commits the caller has checked.
// Unless they are discarded, files of the agent that are not committed stay, with the worktree. A branch that has
// moved on from the tip stays.
func (r *repo) drop(ctx context.Context, w *parley.Worktree, f Finish, tip string) error {
	from, remove := r, []string{"worktree", "remove", w.Path}
	_, err := os.Stat(w.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remove = []string{"worktree", "prune"}
	case f.Discard:
		remove = []string{"worktree", "remove", "--force", w.Path}
	default: // git looks at the files there
		there, err := r.in(ctx, w.Path)
		if err != nil {
			return err
		}
		from = &repo{dir: r.dir, guard: there.guard}
		if there.onlyKnown(ctx, w.Repository, f) {
			remove = []string{"worktree", "remove", "--force", w.Path}
		}
	}

	if _, err := from.git(ctx, remove...); err != nil {
		return parley.Errorf(parley.InvalidArgument, "the worktree was not removed: %w", err).
			Suggest("Look into %s.", w.Path)
	}
	if !w.Made || tip == "" {
		return nil
	}
	if _, err := r.git(ctx, "update-ref", "-d", ref(w.Branch), tip); err != nil {
		return parley.Errorf(parley.InvalidArgument, "the worktree was removed, but its branch was not: %w", err).
			Suggest("Look at it: git -C %s log %s", parley.ShellWord(r.dir), parley.ShellWord(w.Branch))
	}

	return nil
}

// onlyKnown reports whether git would not remove a worktree although nothing in it is the agent's: it has files that
// were copied into it, or submodules that are not checked out, or are to go.
func (r *repo) onlyKnown(ctx context.Context, main string, f Finish) bool {
	files, _, err := r.work(ctx, main)
	sub, failed := r.submodule(ctx)
	return err == nil && failed == nil && len(files) == 0 && (sub == "" || f.Force)
}

// tip returns the last commit of a branch, "" if there is no such branch.
func (r *repo) tip(ctx context.Context, branch string) string {
	tip, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref(branch))
	if err != nil {
		return ""
	}
	return tip
}

// plural returns a count with its noun.
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
