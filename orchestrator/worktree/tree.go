package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/plainfile"
)

// Tree is a checkout of a repository.
type Tree struct {
	Top    string // its directory
	Common string // the repository's own directory, which all its checkouts share
	Linked bool   // it is a worktree, and not the repository's own checkout
}

// TreeOf returns the checkout around a directory. It only looks at the file system. It is not ok if
// there is none.
func TreeOf(dir string) (t Tree, ok bool) {
	dir, err := filepath.EvalSymlinks(dir)
	for err == nil {
		mark := filepath.Join(dir, ".git")
		if info, err := os.Stat(mark); err == nil {
			if info.IsDir() {
				return Tree{Top: dir, Common: mark}, true
			}
			return linked(dir, mark)
		}

		above := filepath.Dir(dir)
		if above == dir {
			break
		}
		dir = above
	}
	return Tree{}, false
}

// linked returns the worktree whose file .git names the directory that git keeps of it.
func linked(top, mark string) (Tree, bool) {
	own, ok := readPath(top, mark, "gitdir: ")
	if !ok {
		return Tree{}, false
	}
	common, ok := readPath(own, filepath.Join(own, "commondir"), "")
	if !ok { // a submodule
		return Tree{Top: top, Common: own}, true
	}
	return Tree{Top: top, Common: common, Linked: true}, true
}

// maxMark bounds the files in which git keeps a path, in bytes. A path has at most 4,096.
const maxMark = 64 << 10

// readPath reads a path that stands in a file behind a word, from the directory dir.
func readPath(dir, file, word string) (path string, ok bool) {
	text, err := plainfile.Read(file, maxMark)
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(text)), word)
	if err != nil || !ok || rest == "" {
		return "", false
	}
	if !filepath.IsAbs(rest) {
		rest = filepath.Join(dir, rest)
	}
	path, err = filepath.EvalSymlinks(rest)
	return path, err == nil
}

// Changed returns the files of a checkout that differ from where it left the branch base, and those that are new,
// unless they are as they were when an agent began there. Without a base it returns those that differ from the last
// commit. The paths are below top.
func Changed(ctx context.Context, top, base string) ([]string, error) {
	r, err := open(ctx, top)
	if err != nil {
		return nil, err
	}

	since := "HEAD"
	if base != "" {
		if since, err = r.line(ctx, "merge-base", "--end-of-options", ref(base), "HEAD"); err != nil {
			return nil, err
		}
	}

	changed, err := r.git(ctx, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", since, "--")
	if err != nil {
		return nil, err
	}
	fresh, err := r.git(ctx, "ls-files", "--others", "--exclude-standard", "-z")

	return r.sinceBegun(ctx, strings.FieldsFunc(changed+fresh, func(c rune) bool { return c == 0 })), err
}

// Committed returns when a file of a checkout was last committed there, zero if it never was.
func Committed(ctx context.Context, top, name string) (time.Time, error) {
	r, err := open(ctx, top)
	if err != nil {
		return time.Time{}, err
	}
	line, err := r.line(ctx, "log", "-1", "--format=%ct", "--no-show-signature", "HEAD", "--", ":(literal)"+name)
	if err != nil || line == "" {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(line, 10, 64)

	return time.Unix(seconds, 0), err
}

// Author returns the name and the address under which commits are made in a directory, each "" if none is set.
func Author(ctx context.Context, dir string) (name, email string) {
	r := &repo{dir: dir}
	name, _ = r.line(ctx, "config", "user.name") // without one git says so itself
	email, _ = r.line(ctx, "config", "user.email")
	return name, email
}

// PartsOf returns where git keeps what a worktree shares with all others of its repository, and its own metadata there.
// It asks nothing that is in the worktree.
func PartsOf(w *parley.Worktree) (common, own string, err error) {
	common = filepath.Join(w.Repository, ".git")
	if info, err := os.Lstat(common); err != nil || !info.IsDir() {
		return "", "", parley.Errorf(parley.InvalidArgument, "%s keeps its repository elsewhere", w.Repository).
			Suggest("Choose a directory of the repository's first checkout.")
	}
	all, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		return "", "", parley.Errorf(parley.InvalidArgument, "git knows no worktree of %s", w.Repository).
			Suggest("Stop the agent with --remove, and launch it again.")
	}
	for _, entry := range all {
		own = filepath.Join(common, "worktrees", entry.Name())
		text, err := plainfile.Read(filepath.Join(own, "gitdir"), maxMark)
		if err == nil && entry.IsDir() && strings.TrimSpace(string(text)) == filepath.Join(w.Path, ".git") {
			return common, own, nil
		}
	}
	return "", "", parley.Errorf(parley.InvalidArgument, "git does not know the worktree %s", w.Path).
		Suggest("Stop the agent with --remove, and launch it again.")
}

// BranchOf returns the branch of a checkout, "" if it is on none.
func BranchOf(ctx context.Context, top string) string {
	name, err := (&repo{dir: top}).branch(ctx)
	if err != nil || name == noBranch {
		return ""
	}
	return name
}
