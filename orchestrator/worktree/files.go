package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley"
)

// files returns the files that a diff is about, and how far each is on its way. words print them as git's --numstat
// does with -z: the numbers and a path, or, for a renamed file, the numbers, the path before and the path now.
func (r *repo) files(ctx context.Context, words, untracked []string) ([]parley.ChangedFile, error) {
	out, err := r.git(ctx, words...)
	if err != nil {
		return nil, err
	}
	open, err := (&repo{dir: r.dir, guard: r.guard}).status(ctx, "--untracked-files=no")
	if err != nil {
		return nil, err
	}

	states := map[string]parley.FileState{}
	for _, c := range open {
		states[c.path] = parley.FileUnstaged
		if c.code[1] == ' ' {
			states[c.path] = parley.FileStaged
		}
	}

	var all []parley.ChangedFile
	for rest := out; rest != ""; {
		var entry string
		entry, rest, _ = strings.Cut(rest, "\x00")
		f, ok := changedFile(entry)
		if !ok {
			continue
		}
		if f.Path == "" {
			f.From, rest, _ = strings.Cut(rest, "\x00")
			f.Path, rest, _ = strings.Cut(rest, "\x00")
		}

		f.State = parley.FileCommitted
		if s, ok := states[f.Path]; ok {
			f.State = s
		}
		if slices.Contains(untracked, f.Path) {
			f.State = parley.FileNew
		}
		all = append(all, f)
	}

	return all, nil
}

// changedFile reads the numbers of a file, and its path unless that follows. Binary files have no numbers.
func changedFile(entry string) (f parley.ChangedFile, ok bool) {
	parts := strings.SplitN(entry, "\t", 3)
	if len(parts) < 3 {
		return f, false
	}
	f.Binary = parts[0] == "-"
	f.Added, _ = strconv.Atoi(parts[0])
	f.Removed, _ = strconv.Atoi(parts[1])
	f.Path = parts[2]
	return f, true
}

// copyInto copies a file, or a directory with all that is in it, from one directory to the same
// place in another, and returns the files. It follows no link that leads out of either.
func copyInto(to, from, name string) (files []string, err error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer source.Close()

	target, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer target.Close()

	root := filepath.ToSlash(filepath.Clean(name))

	err = fs.WalkDir(source.FS(), root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return target.MkdirAll(path, 0o755)
		}
		files = append(files, path)
		return copyFile(target, source, path)
	})

	return files, err
}

// cause returns what is wrong with a file, without the call that found it.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// copyFile copies one regular file with its permissions. It overwrites nothing.
func copyFile(target, source *os.Root, path string) error {
	info, err := source.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	if err := target.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}

	in, err := source.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()

	out, err := target.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)

	return errors.Join(err, out.Close())
}

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
