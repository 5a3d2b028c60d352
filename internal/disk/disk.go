// Package disk does with files what the state of a workspace needs: it copies them whole, and makes sure that their
// names are on the disk.
package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Exists reports whether something has a name.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IgnoreMissing returns nil for the errors of a file that does not exist, and of removing a directory that is not
// empty.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// SyncDir waits until the names in a directory are on the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Copy copies a file to a new one, and waits until that is on the disk. Only the user may read it.
func Copy(from, to string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()

	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	if err == nil {
		err = w.Sync()
	}

	return errors.Join(err, w.Close())
}

// Replace makes a file hold content. After a crash, also of the machine, it holds the old or the new. Only the user may
// read it.
func Replace(path string, content []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*") // 0600
	if err != nil {
		return err
	}

	_, err = part.Write(content)
	if err = errors.Join(err, part.Sync(), part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}

	return err
}

// HasRoom reports whether a file of so many bytes can be written in a directory. It tries: quotas are not seen
// otherwise.
func HasRoom(dir string, size int) bool {
	f, err := os.CreateTemp(dir, ".room-*")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	defer f.Close()

	_, err = f.Write(make([]byte, size))
	return err == nil && f.Sync() == nil
}
