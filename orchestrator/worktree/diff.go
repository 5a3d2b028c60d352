package worktree

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"parley"
)

// Diff is what was changed since a commit.
type Diff struct {
	Since     string
	Text      string
	Files     []parley.ChangedFile
	Untracked []string // new files; Text has the content of the first maxNew
	Truncated bool
}

// The bounds of a diff.
const (
	maxDiff = 1 << 20 // bytes
	maxNew  = 100     // new files whose content it has
)

// DiffOf returns what was changed in dir: since w left its base, or since the last commit if w is
// nil. New files of the agent are in it, with their content.
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
	if d.Untracked, err = r.untracked(ctx); err != nil {
		return nil, err
	}

	from, done := r.withNew(ctx, d.Untracked[:min(len(d.Untracked), maxNew)])
	defer done()

	// The user's own settings of the prefixes do not count: the names of files are read off them.
	words := []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all",
		"--src-prefix=a/", "--dst-prefix=b/"}
	if stat {
		words = append(words, "--stat")
	} else if d.Files, err = from.files(ctx, append(words, "--numstat", "-z", d.Since, "--"), d.Untracked); err != nil {
		return nil, err
	}

	if d.Text, err = from.git(ctx, append(words, d.Since, "--")...); err != nil {
		return nil, err
	}
	if len(d.Text) > maxDiff {
		d.Text, d.Truncated = d.Text[:maxDiff], true
	}
	d.Text = strings.ToValidUTF8(d.Text, string(utf8.RuneError))

	return d, nil
}

// untracked returns the new files that git does not ignore, without those that were there when the agent began,
// such as a copied .env.
func (r *repo) untracked(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "ls-files", "--others", "--exclude-standard", "-z")
	names := strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
	return r.sinceBegun(ctx, names), err
}

// sinceBegun returns the files that are not as they were when the agent began.
func (r *repo) sinceBegun(ctx context.Context, names []string) []string {
	k := &kept{beginning: r.began(ctx), top: r.dir}
	return slices.DeleteFunc(names, func(name string) bool { return k.known(name, false) })
}

// withNew returns the repository as it would be if new files were known to git, with an index aside, which done
// removes. Where that cannot be, as when a file has gone meanwhile, it is the repository as it is.
func (r *repo) withNew(ctx context.Context, names []string) (from *repo, done func()) {
	path, err := r.line(ctx, "rev-parse", "--git-path", "index")
	if err != nil || len(names) == 0 {
		return r, func() {}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}

	index, err := os.CreateTemp("", "parley-index-")
	if err != nil {
		return r, func() {}
	}
	done = func() { os.Remove(index.Name()) }
	if err := copyTo(index, path); err != nil {
		return r, done
	}

	from = &repo{dir: r.dir, guard: r.guard, index: index.Name()}
	words := []string{"add", "--intent-to-add", "--"}
	for _, name := range names {
		words = append(words, ":(literal)"+name)
	}
	if _, err := from.git(ctx, words...); err != nil {
		return r, done
	}

	return from, done
}

// copyTo writes the content of a file to another, and closes it.
func copyTo(to *os.File, path string) error {
	defer to.Close()
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)

	return err
}
