package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
