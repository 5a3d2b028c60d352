package worktree

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
)

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

	files, err := r.changed(ctx)
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

// changed returns the files that are changed or new and not committed.
func (r *repo) changed(ctx context.Context) ([]string, error) {
	return r.status(ctx, "--untracked-files=normal")
}

// status returns the files that git status lists.
func (r *repo) status(ctx context.Context, untracked string) ([]string, error) {
	out, err := r.git(ctx, "status", "--porcelain=v1", "-z", untracked, "--ignore-submodules=all", "--no-renames")
	if err != nil {
		return nil, err
	}
	return statusFiles(out), nil
}

// statusFiles returns the paths that git status lists: two letters, a space, and the path.
func statusFiles(out string) []string {
	var files []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			files = append(files, entry[3:])
		}
	}
	return files
}

// Diff is what was changed since a commit.
type Diff struct {
	Since     string
	Text      string
	Untracked []string
	Truncated bool
}

// maxDiff bounds a diff, in bytes.
const maxDiff = 1 << 20

// DiffOf returns what was changed in dir: since w left its base, or since the last commit if w is
// nil.
func DiffOf(ctx context.Context, dir string, w *parley.Worktree, stat bool) (*Diff, error) {
	r, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}

	if !r.has(ctx, "HEAD") {
		return nil, noCommit(dir)
	}

	d := &Diff{Since: "HEAD"}
	if w != nil {
		if d.Since, err = r.line(ctx, "merge-base", "--end-of-options", ref(w.Base), "HEAD"); err != nil {
			return nil, err
		}
	}

	words := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"}
	if stat {
		words = append(words, "--stat")
	}
	if d.Text, err = r.git(ctx, append(words, d.Since, "--")...); err != nil {
		return nil, err
	}
	if len(d.Text) > maxDiff {
		d.Text, d.Truncated = d.Text[:maxDiff], true
	}
	d.Text = strings.ToValidUTF8(d.Text, string(utf8.RuneError))

	out, err := r.git(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			d.Untracked = append(d.Untracked, name)
		}
	}

	return d, err
}
