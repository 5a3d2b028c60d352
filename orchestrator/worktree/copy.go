package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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
