package worktree

import (
	"context"
	"strconv"
	"strings"

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
