package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/disk"
)

// markPrefix begins the name of a mark: an empty file that names a content or a copy
// which was begun and is not in the database yet. After a crash only marked files are
// removed. An unmarked file that the database does not know may belong to a newer
// database, of which an older backup was restored.
const markPrefix = ".new-"

func mark(dir, name string) error {
	return os.WriteFile(filepath.Join(dir, markPrefix+name), nil, 0o600)
}

func unmark(dir, name string) error {
	return disk.IgnoreMissing(os.Remove(filepath.Join(dir, markPrefix+name)))
}

// Begin marks a file before its copy is made. Call done once the database knows the file,
// or the copy is removed.
func (s *Store) Begin(id string) (done func(), err error) {
	if err := mark(s.received, id); err != nil {
		return nil, failed(s.received, "making the recipient's copy", err)
	}
	return func() { _ = unmark(s.received, id) }, nil // Recover removes a mark that stays
}

// Recover removes unfinished files that a crash left. hasContent and hasFile report
// whether the database knows a content or a file. Call it before any other method.
func (s *Store) Recover(hasContent func(sha string) (bool, error), hasFile func(id string) (bool, error)) error {
	removeContent := func(sha string) error { return os.Remove(s.path(sha)) }
	if _, err := s.recover(s.contents, hasContent, removeContent); err != nil {
		return err
	}

	removeCopy := func(id string) error { return os.RemoveAll(filepath.Join(s.received, id)) }
	dirs, err := s.recover(s.received, hasFile, removeCopy)
	for _, dir := range dirs {
		_ = os.Remove(filepath.Join(s.received, dir)) // fails unless it is empty
	}

	return err
}

// recover removes the marks in dir, and what they mark unless it is known. It returns the
// directories in dir.
func (s *Store) recover(
	dir string, known func(string) (bool, error), remove func(string) error,
) (dirs []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, failed(dir, "looking for unfinished files", err)
	}

	for _, e := range entries {
		name, marked := strings.CutPrefix(e.Name(), markPrefix)
		if !marked {
			if e.IsDir() {
				dirs = append(dirs, name)
			}
			continue
		}

		ok, err := known(name)
		if err == nil && !ok && len(name) > 2 {
			err = disk.IgnoreMissing(remove(name))
		}
		if err = errors.Join(err, unmark(dir, name)); err != nil {
			return dirs, failed(dir, "removing an unfinished file", err)
		}
	}

	return dirs, nil
}

// Remove deletes a file's copy, and its content unless another file still uses it. Other
// files that recipients put next to the copy stay.
func (s *Store) Remove(sha, id, name string, used func() (bool, error)) error {
	if err := s.removeCopies(id, name); err != nil {
		return err
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if yes, err := used(); yes || err != nil {
		return err
	}

	if p := s.pins[sha]; p != nil { // another call is storing it right now, and decides
		p.fresh = true
		return failed(s.contents, "removing the file", mark(s.contents, sha))
	}

	return failed(s.contents, "removing the file", disk.IgnoreMissing(os.Remove(s.path(sha))))
}

// removeCopies deletes the recipients' copies of a file, and their directories unless they hold other files.
func (s *Store) removeCopies(id, name string) error {
	received, err := os.OpenRoot(s.received)
	if err != nil {
		return failed(s.received, "removing the recipient's copy", err)
	}
	defer received.Close()

	further := id + furtherSuffix
	errs := []error{removeCopy(received, id, name)}
	if info, err := received.Lstat(further); err == nil && info.IsDir() {
		entries, err := fs.ReadDir(received.FS(), further)
		errs = append(errs, disk.IgnoreMissing(err))
		for _, e := range entries {
			errs = append(errs, removeCopy(received, filepath.Join(further, e.Name()), name))
		}
	}
	err = errors.Join(append(errs, disk.IgnoreMissing(received.Remove(further)))...)

	return failed(s.receivedPath(id, name), "removing the recipient's copy", err)
}

// removeCopy deletes one copy. Recipients may write there: where one has put a link in place of the directory, the
// link alone is deleted, and nothing where it leads.
func removeCopy(received *os.Root, dir, name string) error {
	info, err := received.Lstat(dir)
	if err == nil && info.IsDir() {
		err = disk.IgnoreMissing(received.Remove(filepath.Join(dir, name)))
	}
	return errors.Join(disk.IgnoreMissing(err), disk.IgnoreMissing(received.Remove(dir)))
}

// Used returns the sizes of all contents and of all recipients' copies, in bytes.
func (s *Store) Used() (contents, copies int64, err error) {
	if contents, err = Size(s.contents); err == nil {
		copies, err = Size(s.received)
	}
	return contents, copies, err
}

// Size returns the size of all files below a directory, in bytes; 0 if it does not exist.
func Size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				total += info.Size()
			}
		}
		return disk.IgnoreMissing(err) // removed meanwhile
	})
	return total, failed(dir, "measuring the files", err)
}
