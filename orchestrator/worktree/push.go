package worktree

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

// pushTime bounds a push, which may carry much over a slow line.
const pushTime = 5 * time.Minute

// Branch is the branch of a worktree with what it would bring to its base, and where it goes.
type Branch struct {
	Name     string
	Commits  []Commit // that its base lacks, the oldest first
	Dirty    int      // files that are not committed
	Remote   string   // the name of the repository to which it is pushed
	URL      string   // of that
	Upstream string   // of the remote named upstream, from which that one was forked; "" if there is none
}

// Commit is a commit's message.
type Commit struct{ Subject, Body string }

// BranchToPush returns the branch of a worktree. The error is INVALID_ARGUMENT if there is nothing to push, or nowhere.
func BranchToPush(ctx context.Context, w *parley.Worktree) (*Branch, error) {
	d, err := Look(ctx, w)
	if err != nil {
		return nil, err
	}
	r, err := open(ctx, w.Repository)
	if err != nil {
		return nil, err
	}
	if d.Branch == noBranch || d.Branch == "" || d.Ahead == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "%s has no commit that %s lacks", d.Branch, w.Base).
			Suggest("Let the agent commit its work on a branch first: git -C %s status", sh.Word(w.Path))
	}

	b := &Branch{Name: d.Branch, Dirty: d.Dirty}
	if err := r.findRemote(ctx, b); err != nil {
		return nil, err
	}
	out, err := r.git(ctx, "log", "-z", "--reverse", "--format=%s%n%b", "--max-count=50", "--end-of-options",
		ref(w.Base)+".."+ref(d.Branch))
	for text := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		subject, body, _ := strings.Cut(text, "\n")
		b.Commits = append(b.Commits, Commit{subject, strings.TrimSpace(body)})
	}
	return b, err
}

// findRemote finds where a branch goes: to origin, or to the one remote that there is.
func (r *repo) findRemote(ctx context.Context, b *Branch) error {
	out, err := r.git(ctx, "remote")
	if err != nil {
		return err
	}
	names := strings.Fields(out)
	switch {
	case slices.Contains(names, "origin"):
		b.Remote = "origin"
	case len(names) == 1:
		b.Remote = names[0]
	default:
		return parley.Errorf(parley.InvalidArgument, "%s has no remote named origin", r.dir).
			Suggest("Add it: git -C %s remote add origin URL", sh.Word(r.dir))
	}

	if b.URL, err = r.line(ctx, "remote", "get-url", "--push", b.Remote); err != nil {
		return err
	}
	if slices.Contains(names, "upstream") {
		b.Upstream, err = r.line(ctx, "remote", "get-url", "upstream")
	}
	return err
}

// runsAtPush are the settings of a repository by which a push would run a program, or go elsewhere.
const runsAtPush = `^(core\.(sshcommand|gitproxy|askpass)|credential\.|url\.|http\.|https\.|ssh\.|` +
	`remote\..*\.(receivepack|vcs|proxy)$)`

// Push pushes a branch, unless the remote has it already as far as the repository knows. A repository that says itself
// how is refused: its agents may have written that.
func Push(ctx context.Context, w *parley.Worktree, b *Branch) error {
	r, err := open(ctx, w.Repository)
	if err != nil {
		return err
	}
	known, _ := r.line(ctx, "rev-parse", "--verify", "--quiet", "refs/remotes/"+b.Remote+"/"+b.Name)
	if known != "" && known == r.tip(ctx, b.Name) {
		return nil
	}

	byHand := "git -C " + sh.Line([]string{w.Repository, "push", b.Remote, b.Name})
	out, err := r.git(ctx, "config", "--show-scope", "--name-only", "--get-regexp", runsAtPush)
	if failed, ok := errors.AsType[*gitError](err); err != nil && (!ok || failed.status != 1) {
		return err
	}
	for line := range strings.Lines(out) {
		if scope, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); scope == "local" || scope == "worktree" {
			return parley.Errorf(parley.InvalidArgument, "the repository's own configuration says how it is pushed: %s",
				plain.CleanLine(name)).
				Suggest("If that is yours, push the branch, and open the pull request then: %s", byHand)
		}
	}

	r.pushes = true
	if _, err := r.git(ctx, "push", "--no-verify", "--", b.Remote, ref(b.Name)+":"+ref(b.Name)); err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s was not pushed: %w", b.Name, err).
			Suggest("See why, and open the pull request then: %s", byHand)
	}
	return nil
}
