package daemon

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"parley"
	"parley/internal/disk"
	"parley/internal/plainfile"
)

// Earlier versions kept the state in the workspace's .parley, and hard links to the database in the home. What they
// left is moved once, under the lock. It may be interrupted at any point: the database is complete in a directory
// that gets its name in one step, all else is moved piece by piece, and the mark goes last.

// markEarly marks a home in which an earlier version has run.
func (n notes) markEarly() error {
	h := readHome(n.Home)
	if h.root == "" || h.id != "" {
		return nil
	}
	return keepNote(n.State(earlyFile), "")
}

// movedEarly returns the home of a workspace that was renamed since an earlier version has run in it.
func movedEarly(root string, all []home) (home, bool) {
	first, err := os.Lstat(filepath.Join(root, StateDir, databaseFile))
	if err != nil {
		return home{}, false
	}
	for _, h := range all {
		second, err := os.Lstat(filepath.Join(h.dir, databaseFile))
		if err == nil && os.SameFile(first, second) && !h.stands() {
			return h, true
		}
	}
	return home{}, false
}

// MoveIn moves what an earlier version has left. The caller has the daemon's lock.
func (p Place) MoveIn() error { return mover{p, func() error { return nil }}.run() }

// mover moves the state of an earlier version.
type mover struct {
	Place
	step func() error // comes before each change of a file; its error ends the move
}

// run is MoveIn. The move may end before any of its steps.
func (m mover) run() error {
	if !disk.Exists(m.State(earlyFile)) {
		return nil
	}

	err := m.moveAll()
	if err == nil {
		err = m.remove(m.State(earlyFile))
	}
	if _, explained := errors.AsType[*parley.Error](err); err != nil && !explained {
		return parley.Errorf(
			parley.StorageUnavailable, "the state in %s cannot be moved to %s: %w", m.inRoot(""), m.Home, err,
		).
			Suggest("Make both writable for you. Nothing is lost: the next start goes on.")
	}

	return err
}

func (m mover) moveAll() error {
	if !disk.Exists(filepath.Dir(m.Database())) {
		if err := m.moveDatabase(); err != nil {
			return err
		}
	}
	if err := m.clear(); err != nil {
		return err
	}

	if err := m.joinReports(); err != nil {
		return err
	}
	for _, name := range []string{"files", "daemon.log", "daemon.log.old", "port", "database"} {
		if err := m.moveTree(m.inRoot(name), m.State(name)); err != nil {
			return err
		}
	}
	for _, name := range []string{"daemon.lock", "daemon.json"} {
		if err := m.remove(m.inRoot(name)); err != nil {
			return err
		}
	}

	return nil
}

// moveDatabase makes the directory of the database, with that of an earlier version if there is one.
func (m mover) moveDatabase() error {
	part := filepath.Dir(m.Database()) + ".part"
	moved := disk.Exists(filepath.Join(part, databaseFile)) // by a move that ended early, behind its log
	if !moved {
		if err := m.checkEarly(); err != nil {
			return err
		}
	}
	if err := m.mkdir(part); err != nil {
		return err
	}

	second := m.State(databaseFile)
	sources := map[string][]string{ // by ending; the first that exists counts
		"":          {second + ".saved", second}, // all that the files held which were lost while they were open
		"-wal":      {second + "-wal", m.inRoot(databaseFile + "-wal")},
		".progress": {second + ".progress"},
	}
	if moved || disk.Exists(second+".saved") {
		delete(sources, "-wal") // it is of another file
	}
	for _, ending := range []string{"-wal", ".progress", ""} {
		to := filepath.Join(part, databaseFile+ending)
		i := slices.IndexFunc(sources[ending], disk.Exists)
		if i < 0 || disk.Exists(to) {
			continue
		}
		if err := m.move(sources[ending][i], to); err != nil {
			return err
		}
	}

	return m.move(part, filepath.Dir(m.Database()))
}

// checkEarly refuses when the database in the workspace is not the one that this user's daemon had: the user
// may have put a copy there, or a repository.
func (m mover) checkEarly() error {
	first, second := m.inRoot(databaseFile), m.State(databaseFile)
	a, err := os.Lstat(first)
	if err != nil {
		return disk.IgnoreMissing(err)
	}
	if b, err := os.Lstat(second); err == nil && os.SameFile(a, b) || disk.Exists(second+".saved") {
		return nil
	}

	move := []string{"mv", first, filepath.Dir(m.Database())}
	if disk.Exists(first + "-wal") {
		move = slices.Insert(move, 2, first+"-wal")
	}
	return parley.Errorf(parley.NotTrusted, "%s may not be the database of this workspace: parley cannot see that it was "+
		"made here", first).With("file", first).
		Suggest("If it is, run: mkdir %s && %s. Else delete it. Then start parley again.",
			parley.ShellWord(filepath.Dir(m.Database())), parley.ShellLine(move))
}

// clear removes the names that the database had before it was moved. Another database stays where it is.
func (m mover) clear() error {
	progress := m.State(databaseFile + ".progress")
	if disk.Exists(progress) && !disk.Exists(m.Database()+".progress") { // the user has moved the database
		if err := m.move(progress, m.Database()+".progress"); err != nil {
			return err
		}
	}

	for _, ending := range []string{"-shm", "-wal", ""} {
		for _, path := range []string{m.inRoot(databaseFile + ending), m.State(databaseFile + ending)} {
			a, errA := os.Lstat(path)
			b, errB := os.Lstat(m.Database() + ending)
			if errA != nil || ending != "-shm" && (errB != nil || !os.SameFile(a, b)) {
				continue
			}
			if err := m.remove(path); err != nil {
				return err
			}
		}
	}

	return nil
}

// joinReports puts the reports of agents before those that they have made since.
func (m mover) joinReports() error {
	from, to := m.inRoot("reports"), m.Spool()
	if !disk.Exists(from) || !disk.Exists(to) {
		return m.moveTree(from, to)
	}

	old, err := plainfile.Read(from, maxReports)
	if err != nil {
		return err
	}
	since, err := plainfile.Read(to, maxReports)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(since, old) {
		if err := m.step(); err != nil {
			return err
		}
		if err := keepNote(to, string(old)+string(since)); err != nil {
			return err
		}
	}

	return m.remove(from)
}

// maxReports bounds what is read of reports, in bytes.
const maxReports = 64 << 20

// moveTree moves a file or a directory, also to another file system. What is there already stays.
func (m mover) moveTree(from, to string) error {
	if !disk.Exists(from) {
		return nil
	}
	if !disk.Exists(to) {
		if err := m.rename(from, to); !errors.Is(err, syscall.EXDEV) {
			return err
		}
	}

	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		target := filepath.Join(to, rest)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return m.mkdir(target)
		case !e.Type().IsRegular() || disk.Exists(target):
			return nil
		}
		return m.move(path, target)
	})
	if err != nil {
		return err
	}
	if err := m.step(); err != nil {
		return err
	}

	return os.RemoveAll(from)
}

// move renames a file. On another file system it copies it, and the copy gets its name when it is whole.
func (m mover) move(from, to string) error {
	if err := m.rename(from, to); !errors.Is(err, syscall.EXDEV) {
		return err
	}

	part := to + ".part"
	if err := m.remove(part); err != nil { // of a move that was interrupted
		return err
	}
	if err := m.step(); err != nil {
		return err
	}
	if err := disk.Copy(from, part); err != nil {
		return err
	}
	if err := m.rename(part, to); err != nil {
		return err
	}

	return m.remove(from)
}

func (m mover) rename(from, to string) error {
	if err := m.step(); err != nil {
		return err
	}
	return errors.Join(os.Rename(from, to), disk.SyncDir(filepath.Dir(to)))
}

func (m mover) mkdir(dir string) error {
	if err := m.step(); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o700)
}

func (m mover) remove(file string) error {
	if !disk.Exists(file) {
		return nil
	}
	if err := m.step(); err != nil {
		return err
	}
	return os.Remove(file)
}
