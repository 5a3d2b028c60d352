package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// begun begins the names of marks: what is named behind it was begun, and nobody has
// noted it yet. Only that is removed after a crash. What the database does not know
// without a mark may be of a newer one, of which an older copy was put back.
const begun = ".new-"

func mark(dir, name string) error {
	return os.WriteFile(filepath.Join(dir, begun+name), nil, 0o600)
}

func unmark(dir, name string) error { return missingIsGone(os.Remove(filepath.Join(dir, begun+name))) }

// missingIsGone is nil where there was nothing to be removed, or where a directory is not
// empty.
func missingIsGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// Begin marks a file whose copy is going to be made, until done is called.
func (s *Store) Begin(id string) (done func(), err error) {
	if err := mark(s.received, id); err != nil {
		return nil, failed(s.received, "making the recipient's copy", err)
	}
	return func() { _ = unmark(s.received, id) }, nil // one that is left is looked at when it starts
}

// Recover removes what a crash left of files that nobody noted. It is called before
// anything else is done.
func (s *Store) Recover(noted func(sha string) (bool, error), known func(id string) (bool, error)) error {
	if _, err := s.recover(s.contents, noted, func(sha string) error { return os.Remove(s.path(sha)) }); err != nil {
		return err
	}
	dirs, err := s.recover(
		s.received,
		known,
		func(id string) error { return os.RemoveAll(filepath.Join(s.received, id)) },
	)
	for _, dir := range dirs {
		_ = os.Remove(filepath.Join(s.received, dir)) // if it is empty
	}
	return err
}

// recover removes what is marked in dir and not known, and the marks. It returns the
// directories there.
func (s *Store) recover(
	dir string,
	known func(string) (bool, error),
	remove func(string) error,
) (dirs []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, failed(dir, "looking for unfinished files", err)
	}

	for _, e := range entries {
		name, marked := strings.CutPrefix(e.Name(), begun)
		if !marked {
			if e.IsDir() {
				dirs = append(dirs, name)
			}
			continue
		}

		ok, err := known(name)
		if err == nil && !ok && len(name) > 2 {
			err = missingIsGone(remove(name))
		}
		if err = errors.Join(err, unmark(dir, name)); err != nil {
			return dirs, failed(dir, "removing an unfinished file", err)
		}
	}

	return dirs, nil
}

// Remove deletes a file's copy, and its content unless it is wanted still. What else its
// recipient put beside the copy stays.
func (s *Store) Remove(sha, id, name string, wanted func() (bool, error)) error {
	copied := s.ReceivedPath(id, name)
	err := errors.Join(missingIsGone(os.Remove(copied)), missingIsGone(os.Remove(filepath.Dir(copied))))
	if err != nil {
		return failed(copied, "removing the recipient's copy", err)
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	if yes, err := wanted(); yes || err != nil {
		return err
	}

	if p := s.pins[sha]; p != nil { // it comes in once more just now: its call decides
		p.fresh = true
		return failed(s.contents, "removing the file", mark(s.contents, sha))
	}

	return failed(s.contents, "removing the file", missingIsGone(os.Remove(s.path(sha))))
}

// Used is how many bytes contents and recipients' copies take.
func (s *Store) Used() (contents, copies int64, err error) {
	if contents, err = Size(s.contents); err == nil {
		copies, err = Size(s.received)
	}
	return contents, copies, err
}

// Size is how many bytes the files in a directory have, 0 if there is none.
func Size(dir string) (total int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				total += info.Size()
			}
		}
		return missingIsGone(err) // it went away meanwhile
	})
	return total, failed(dir, "measuring the files", err)
}
