package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

// merging is a worktree's branch on its way into its base, in the checkout of the base.
type merging struct {
	repo *repo
	w    *parley.Worktree
}

// Preview is what a merge would do.
type Preview struct {
	Ahead, Behind int
	Conflicts     []string // files
	Open, Ignored []string // in the worktree: not committed, and ignored by git
	Refused       error    // what stands in the way; nil for nothing
}

// PreviewOf looks at what a merge of w would do, and at what its removal would take away. It changes nothing.
func PreviewOf(ctx context.Context, agent string, w *parley.Worktree) (*Preview, error) {
	r, err := open(ctx, w.Repository)
	if err != nil {
		return nil, err
	}
	there, err := open(ctx, w.Path)
	if err != nil {
		return nil, err
	}

	p := &Preview{}
	if p.Ahead, p.Behind, err = r.apart(ctx, ref(w.Base), ref(w.Branch)); err != nil {
		return nil, err
	}
	if p.Open, p.Ignored, err = there.work(ctx, w.Repository); err != nil {
		return nil, err
	}
	p.Conflicts = merging{r, w}.conflicts(ctx)
	p.Refused = Check(ctx, w, Finish{Agent: agent, Merge: true})

	return p, nil
}

// conflicts tries the merge without a checkout, and returns the files on which it fails. A git before 2.38 cannot, and
// finds out later.
func (m merging) conflicts(ctx context.Context) []string {
	out, err := m.repo.git(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z",
		ref(m.w.Base), ref(m.w.Branch))
	if failed, ok := errors.AsType[*gitError](err); !ok || failed.status != 1 {
		return nil
	}
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	return names[1:] // the first is the tree
}

// check refuses a merge that git would refuse, or that has conflicts.
func (m merging) check(ctx context.Context) error {
	if strings.Contains(m.w.Base, "=") { // where git takes the name of the branch's settings to end
		return parley.Errorf(parley.InvalidArgument, "parley cannot merge into a branch named %q", m.w.Base).
			Suggest("Merge by hand: git -C %s merge %s", sh.Word(m.repo.dir), sh.Word(m.w.Branch))
	}

	now, err := m.repo.branch(ctx)
	if err != nil {
		return err
	}
	if now != m.w.Base {
		return parley.Errorf(parley.InvalidArgument, "%s is on %s, and the work belongs on %s", m.repo.dir, now,
			m.w.Base).
			Suggest("Switch first: git -C %s switch %s", sh.Word(m.repo.dir), sh.Word(m.w.Base))
	}

	changes, err := m.repo.status(ctx, "--untracked-files=no")
	if err != nil {
		return err
	}
	if n := len(changes); n > 0 {
		var files []string
		for _, c := range changes {
			files = append(files, c.path)
		}
		return parley.Errorf(parley.InvalidArgument, "%s has %s that %s not committed: %s", m.repo.dir,
			plural(n, "file"), isOrAre(n), few(files)).
			Suggest("Commit or stash first: git -C %s stash", sh.Word(m.repo.dir))
	}

	if files := m.conflicts(ctx); len(files) > 0 {
		return conflict(m.w, strings.Join(files, ", "))
	}
	return nil
}

// checkFast refuses a fast-forward that is none.
func (m merging) checkFast(ctx context.Context) error {
	_, behind, err := m.repo.apart(ctx, ref(m.w.Base), ref(m.w.Branch))
	if err != nil || behind == 0 {
		return err
	}
	return parley.Errorf(parley.InvalidArgument, "%s has %s that %s lacks, so it cannot be fast-forwarded", m.w.Base,
		plural(behind, "commit"), m.w.Branch).
		Suggest("Merge with a commit, or ask the agent to rebase its branch onto %s.", m.w.Base)
}

func conflict(w *parley.Worktree, files string) error {
	files = plain.CleanLine(plain.Truncate(files, 300))
	return parley.Errorf(parley.InvalidArgument, "%s and %s conflict in %s", w.Branch, w.Base, files).
		Suggest("Ask the agent to merge %s into its branch and to solve that, then try again; or merge by hand: "+
			"git -C %s merge %s", w.Base, sh.Word(w.Repository), sh.Word(w.Branch))
}

// run merges the branch into its base, which is checked out.
func (m merging) run(ctx context.Context, f Finish) (parley.MergeWay, error) {
	ahead, behind, err := m.repo.apart(ctx, ref(m.w.Base), ref(m.w.Branch))
	switch {
	case err != nil || ahead == 0:
		return parley.MergedNothing, err
	case f.How == parley.MergedSquash:
		return parley.MergedSquash, m.squash(ctx, f.Agent)
	case f.How == parley.MergedCommit || behind > 0:
		return parley.MergedCommit, m.merge(ctx, f.Agent, "--no-ff")
	}
	return parley.MergedFast, m.merge(ctx, f.Agent, "--ff")
}

// merge merges the branch. A merge that fails is undone.
func (m merging) merge(ctx context.Context, agent, forward string) error {
	_, err := m.repo.git(ctx, "-c", "branch."+m.w.Base+".mergeOptions=", "merge", forward, "--commit", "--no-squash",
		"--no-edit", "--no-gpg-sign", "--no-verify-signatures", "--quiet",
		"-m", fmt.Sprintf("Merge branch '%s' of %s", m.w.Branch, agent), ref(m.w.Branch))
	if err == nil {
		return nil
	}

	_, aborted := m.repo.git(context.WithoutCancel(ctx), "merge", "--abort")
	failed, _ := errors.AsType[*gitError](aborted)
	if aborted == nil || failed == nil {
		return conflict(m.w, err.Error())
	}

	return m.failed(err)
}

func (m merging) failed(err error) error {
	return parley.Errorf(parley.InvalidArgument, "%s could not be merged: %w", m.w.Branch, err).
		Suggest("Merge by hand: git -C %s merge %s", sh.Word(m.repo.dir), sh.Word(m.w.Branch))
}

// maxSubjects bounds how many commits the message of a squashed one lists.
const maxSubjects = 50

// squash makes one commit of the branch, aside, and goes on to it with the base: a failure leaves the checkout as it
// is.
func (m merging) squash(ctx context.Context, agent string) error {
	base, branch := m.repo.tip(ctx, m.w.Base), m.repo.tip(ctx, m.w.Branch)
	tree, err := m.repo.line(ctx, "merge-tree", "--write-tree", "--no-messages", base, branch)
	if err != nil {
		return m.failed(err) // a git before 2.38, or a conflict that has just come
	}
	subjects, err := m.repo.git(ctx, "log", "--format=* %s", "--no-merges", "--reverse",
		fmt.Sprintf("-%d", maxSubjects), base+".."+branch)
	if err != nil {
		return m.failed(err)
	}

	message := fmt.Sprintf("Squash branch '%s' of %s\n\n%s", m.w.Branch, agent, subjects)
	commit, err := m.repo.line(ctx, "commit-tree", tree, "-p", base, "-m", message)
	if err != nil {
		return m.failed(err)
	}
	_, err = m.repo.git(ctx, "-c", "branch."+m.w.Base+".mergeOptions=", "merge", "--ff-only", "--no-verify-signatures",
		"--quiet",
		commit)
	if err != nil {
		return m.failed(err)
	}

	return nil
}
