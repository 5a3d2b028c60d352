package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"parley"
)

// The database lies in the workspace, where `git clean -fdx` or a careless rm reaches it
// while the daemon runs. SQLite would go on writing to files that have no name any more,
// and everything accepted from then on would be gone with the process. So each file has a
// second name, a hard link in the anchor directory, and the writing goroutine looks after
// every commit, before it acknowledges anything, whether the first name still leads to the
// open file. If not, it puts the name back.
//
// On another file system there are no hard links. Then the store refuses further writes,
// and saves a copy of what it holds in the anchor directory.

// watchEvery is how often the names are checked while nothing is written.
const watchEvery = time.Second

// anchored are the endings of the files that get a second name. SQLite cannot do without
// the first two; the third holds its locks.
var anchored = []string{"", "-wal", "-shm"}

// anchor watches the names of the open database's files.
type anchor struct {
	path string                       // of the database
	dir  string                       // holds the second names; "" for none
	open map[string]os.FileInfo       // by ending
	lost atomic.Pointer[parley.Error] // why nothing is accepted any more; read by all
	news chan string                  // what happened, in words
}

func newAnchor(path, dir string) *anchor {
	return &anchor{path: path, dir: dir, open: map[string]os.FileInfo{}, news: make(chan string, 4)}
}

// spare returns the second name of a file.
func (a *anchor) spare(ending string) string {
	return filepath.Join(a.dir, filepath.Base(a.path)+ending)
}

// saved returns the path of the copy that is made where there are no hard links.
func (a *anchor) saved() string { return a.spare(".saved") }

// Incidents tells what happened to the database's files while they were open, in words for
// the operator. The channel is never closed.
func (s *Store) Incidents() <-chan string { return s.anchor.news }

// Refusal returns why the store accepts nothing more, nil while all is well.
func (s *Workspace) Refusal() error { return s.anchor.refusal() }

// putBack puts a database back that was removed or replaced while a daemon had it open. A
// file that has taken its place is moved aside. It reports whether there was anything to do.
func putBack(path, dir string) (repaired bool, err error) {
	a := newAnchor(path, dir)
	if dir != "" && exists(a.saved()) && exists(path) {
		if err := os.Rename(path, path+".foreign"); err != nil {
			return false, failure(path, "moving the database aside", err)
		}
	}

	missing := !exists(path)
	if err := a.recover(); err != nil {
		return false, failure(path, "putting the database back", err)
	}

	return missing && exists(path), nil
}

// recover puts the database back in its place when only its second name or its copy is
// left. It must run before the database is opened.
func (a *anchor) recover() error {
	if a.dir == "" {
		return nil
	}

	saved := exists(a.saved())
	switch {
	case exists(a.path) && saved:
		return parley.Errorf(parley.StorageUnavailable, "there are two databases: %s, and what a daemon saved in %s",
			a.path, a.saved()).
			Suggest("parley doctor --repair uses the saved one and moves the other aside. "+
				"To keep the other, delete %s.", a.saved())
	case exists(a.path), !saved && !exists(a.spare("")):
		return nil
	}

	if err := a.restoreAll(saved); err != nil {
		return err
	}
	a.tell("The database %s was missing and was put back. Files that agents had received are gone.", a.path)

	return nil
}

// restoreAll puts back the copy or, without one, what the second names lead to.
func (a *anchor) restoreAll(saved bool) error {
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return err
	}

	if saved {
		err := errors.Join(ignoreMissing(os.Remove(a.path+"-wal")), restore(a.saved(), a.path))
		if err != nil {
			return err
		}
		return os.Remove(a.saved())
	}

	for _, ending := range []string{"-wal", ""} { // the database last: with it, this is done
		if err := restore(a.spare(ending), a.path+ending); err != nil {
			return err
		}
	}

	return nil
}

// restore gives a file its first name back: by a link or, on another file system, a copy.
func restore(spare, path string) error {
	if !exists(spare) {
		return ignoreMissing(os.Remove(path)) // left of another database
	}
	if err := ignoreMissing(os.Remove(path)); err != nil {
		return err
	}
	if os.Link(spare, path) == nil {
		return nil
	}

	content, err := os.ReadFile(spare)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// refusal is why nothing is accepted any more, nil while all is well.
func (a *anchor) refusal() error {
	if lost := a.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// check makes sure that the names still lead to the open files. The error says that
// nothing may be acknowledged: the files have no name, and cannot get one.
func (a *anchor) check(save func(path string) error) error {
	if err := a.refusal(); err != nil {
		return err
	}

	for _, ending := range anchored {
		if err := a.checkFile(ending); err != nil {
			a.lose(err, save)
			return a.refusal()
		}
	}

	return nil
}

func (a *anchor) checkFile(ending string) error {
	path, open := a.path+ending, a.open[ending]
	there, err := os.Lstat(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case open == nil && there == nil:
		return nil // not made yet
	case open == nil:
		a.open[ending] = there
		a.link(ending)
		return nil
	case there != nil && os.SameFile(there, open):
		return nil
	}

	return a.putBack(ending, there != nil)
}

// link gives an open file its second name, where the file system allows that.
func (a *anchor) link(ending string) {
	if a.dir == "" {
		return
	}
	spare := a.spare(ending)
	if there, err := os.Lstat(spare); err == nil && os.SameFile(there, a.open[ending]) {
		return
	}
	if ignoreMissing(os.Remove(spare)) == nil {
		_ = os.Link(a.path+ending, spare) // without it, a loss is noticed all the same
	}
}

// putBack gives an open file its first name back. What has taken it is moved aside.
func (a *anchor) putBack(ending string, taken bool) error {
	path, spare := a.path+ending, a.spare(ending)
	there, err := os.Lstat(spare)
	if a.dir == "" || err != nil || !os.SameFile(there, a.open[ending]) {
		return errors.New("its files were removed or replaced while parley ran")
	}

	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if taken {
		if err := os.Rename(path, path+".foreign"); err != nil {
			return err
		}
	}
	if err := os.Link(spare, path); err != nil {
		return err
	}
	if ending == "" {
		a.tell("The database %s was removed while parley ran, and was put back: nothing that was accepted is lost. "+
			"Something deletes files of this workspace, as git clean -fdx does.", path)
	}

	return nil
}

// lose stops accepting and saves what the open files hold.
func (a *anchor) lose(cause error, save func(path string) error) {
	a.lost.Store(parley.Errorf(parley.StorageUnavailable, "the database %s is not safe: %v", a.path, cause).
		With("file", a.path).
		Suggest("Run parley doctor --repair. It puts the database back from what the daemon has saved."))

	kept := "Nothing of it could be saved"
	if a.dir != "" && a.saveTo(a.saved(), save) == nil {
		kept = "All that it held is saved in " + a.saved()
	}
	a.tell("The database %s is not safe (%v), so nothing more is accepted. %s. Run parley doctor --repair.",
		a.path, cause, kept)
}

// saveTo saves what the open files hold. Whatever removed them may have removed the directory too.
func (a *anchor) saveTo(path string, save func(path string) error) error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(path)); err != nil {
		return err
	}
	return save(path)
}

// relink gives the open files their second names again, if something has removed those.
func (a *anchor) relink() {
	if a.refusal() != nil {
		return
	}
	for ending, open := range a.open {
		if there, err := os.Lstat(a.path + ending); err == nil && os.SameFile(there, open) {
			a.link(ending)
		}
	}
}

// forget removes the second names of a database that cannot be opened, so that it does not
// come back when somebody removes it. The next one that can be opened gets them again.
func (a *anchor) forget() {
	first, err := os.Lstat(a.path)
	if a.dir == "" || err != nil {
		return
	}
	if second, err := os.Lstat(a.spare("")); err == nil && os.SameFile(first, second) {
		_ = os.Remove(a.spare("")) // left, it is only in the way of a new start
	}
}

// closed removes the second names of what SQLite removes when it closes.
func (a *anchor) closed() {
	for _, ending := range []string{"-wal", "-shm"} {
		if a.dir != "" && !exists(a.path+ending) {
			_ = os.Remove(a.spare(ending)) // left, it is found to be of no use and replaced
		}
	}
}

// tell queues words for the operator. Those that nobody has read are not pushed out.
func (a *anchor) tell(format string, args ...any) {
	select {
	case a.news <- fmt.Sprintf(format, args...):
	default:
	}
}

// checkAnchor checks the names of the files; only the writing goroutine calls it.
func (db *database) checkAnchor() error {
	return db.anchor.check(func(path string) error {
		_, err := copyTo(context.Background(), db.writerConn, path)
		return err
	})
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
