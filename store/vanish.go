package store

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/disk"
)

// SQLite goes on writing to files that have no name any more, and everything accepted from then on
// is gone with the process. So the writing goroutine looks once a second whether the names still
// lead to the open files. If not, the store accepts nothing more and saves what it holds under
// another name; the next Open goes on with that.

// watchEvery is how often the names are looked at.
const watchEvery = time.Second

// endings are those of the files of a database. SQLite cannot do without the first two; the third
// holds its locks.
var endings = []string{"", "-wal", "-shm"}

// savedEnding ends the name of what was saved of files that were removed while they were open.
const savedEnding = ".saved"

// watched is what is known of the open files. Only the writing goroutine uses it, after Open.
type watched struct {
	open     map[string]os.FileInfo // by ending
	looked   time.Time
	vanished bool // what they hold is not saved yet

	path   string // of the database
	safety *safety
	log    *slog.Logger
	copyTo func(path string) error // copies what the open files hold to a new file
}

// look refuses more when a name does not lead to the open file any more.
func (w *watched) look() error {
	if err := w.safety.refusal(); err != nil {
		if w.vanished {
			_ = w.save() // lose has told why not, and this runs again
		}
		return err
	}

	for _, ending := range endings {
		if err := w.lookAt(ending); err != nil {
			w.lose(err)
			return w.safety.refusal()
		}
	}

	return nil
}

func (w *watched) lookAt(ending string) error {
	open := w.open[ending]
	there, err := os.Lstat(w.path + ending)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case open == nil && there != nil:
		w.open[ending] = there
	case open != nil && (there == nil || !os.SameFile(there, open)):
		return errors.New("its files were removed or replaced while parley ran")
	}
	return nil
}

// lose stops accepting and saves what the open files hold.
func (w *watched) lose(cause error) {
	w.vanished = true
	e := parley.Errorf(parley.StorageUnavailable, "the database %s is not safe: %v", w.path, cause).
		With("file", w.path)
	if err := w.save(); err != nil {
		w.log.Error("save what the database held", "error", err)
		e = e.Suggest("Make room on the disk of %s, and let the directory be written: the daemon saves there what it "+
			"holds, as soon as it can. Until then, do not end it.", filepath.Dir(w.path))
	} else {
		e = e.Suggest("Try again: the daemon has saved all that it held, and the next one goes on with that.")
	}
	w.safety.lost.Store(e)
	w.log.Error("nothing more is accepted", "error", e.Message)
}

// save writes what the open files hold to a new file. Whatever removed them may have removed the
// directory too.
func (w *watched) save() error {
	part := w.path + savedEnding + ".part"
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return err
	}
	if err := disk.IgnoreMissing(os.Remove(part)); err != nil {
		return err
	}
	if err := w.copyTo(part); err != nil {
		return err
	}
	if err := os.Rename(part, w.path+savedEnding); err != nil {
		return err
	}

	w.vanished = false
	close(w.safety.saved)

	return disk.SyncDir(filepath.Dir(w.path))
}

// foreignEnding begins the ending of what stood in the place of what was saved.
const foreignEnding = ".foreign-"

// takeSaved puts what was saved in the place of the database. What stands there is moved aside, under a name with an
// ending and the time. It may be interrupted at any point, and reports where that is, and whether there was anything to
// do.
func takeSaved(path, ending string, now time.Time) (aside string, taken bool, err error) {
	if !disk.Exists(path + savedEnding) {
		return "", false, nil
	}

	to := path + ending + now.UTC().Format(copyTime)
	for _, ending := range []string{"-wal", "-shm", ""} {
		if !disk.Exists(path + ending) {
			continue
		}
		if err := os.Rename(path+ending, to+ending); err != nil {
			return "", false, err
		}
		aside = to
	}
	if err := os.Rename(path+savedEnding, path); err != nil {
		return "", false, err
	}

	return aside, true, disk.SyncDir(filepath.Dir(path))
}
