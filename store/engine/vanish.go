package engine

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"parley/internal/disk"
)

// SQLite goes on writing to files that have no name any more, and everything accepted from then on
// is gone with the process. So the writing goroutine looks once a second whether the names still
// lead to the open files. If not, the store accepts nothing more and saves what it holds under
// another name; the next Open goes on with that.

// WatchEvery is how often the names are looked at.
const WatchEvery = time.Second

// Endings are those of the files of a database. SQLite cannot do without the first two; the third
// holds its locks.
var Endings = []string{"", "-wal", "-shm"}

// SavedEnding ends the name of what was saved of files that were removed while they were open.
const SavedEnding = ".saved"

// Watched is what is known of the open files. Only the writing goroutine uses it, after Open.
type Watched struct {
	Looked time.Time // when the names were looked at

	open     map[string]os.FileInfo // by ending
	vanished bool                   // what they hold is not saved yet
	size     int64                  // of the database
	WatchedFiles
}

// WatchedFiles are the open files of a database.
type WatchedFiles struct {
	Path   string // of the database
	Safety *Safety
	Log    *slog.Logger
	CopyTo func(path string) error // copies what the open files hold to a new file
	// Describe returns why nothing more is accepted: the files are lost, and what they hold is saved, or could not be.
	Describe func(lost, saving error) error
}

// Watch begins to look at the names of open files.
func Watch(f WatchedFiles) (Watched, error) {
	w := Watched{open: map[string]os.FileInfo{}, WatchedFiles: f}
	w.isCut()
	return w, w.Look()
}

// Look refuses more when a name does not lead to the open file any more.
func (w *Watched) Look() error {
	if err := w.Safety.Refusal(); err != nil {
		if w.vanished {
			_ = w.save() // lose has told why not, and this runs again
		}
		return err
	}

	for _, ending := range Endings {
		if err := w.lookAt(ending); err != nil {
			w.lose(err)
			return w.Safety.Refusal()
		}
	}

	return nil
}

func (w *Watched) lookAt(ending string) error {
	open := w.open[ending]
	there, err := os.Lstat(w.Path + ending)
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

// isCut reports whether the file has become shorter than SQLite knows. SQLite does both in one step, and only in the
// goroutine that calls this.
func (w *Watched) isCut() bool {
	there, err := os.Lstat(w.Path)
	if err != nil {
		return false
	}
	before := w.size
	if w.size = there.Size(); w.size >= before {
		return false
	}
	pool, err := OpenCopy(w.Path)
	if err != nil {
		return false
	}
	defer pool.Close()

	_, ours, err := Contents(context.Background(), pool) // the file alone, without its log
	return err == nil && !ours || FaultOf(err) == FaultCorrupt || FaultOf(err) == FaultForeign
}

// lose stops accepting and saves what the open files hold.
func (w *Watched) lose(cause error) {
	w.vanished = true
	saving := w.save()
	if saving != nil {
		w.Log.Error("save what the database held", "error", saving)
	}
	why := w.Describe(cause, saving)
	w.Safety.lost.Store(&loss{why})
	w.Log.Error("nothing more is accepted", "error", why)
}

// save writes what the open files hold to a new file. Whatever removed them may have removed the
// directory too.
func (w *Watched) save() error {
	part := w.Path + SavedEnding + ".part"
	if err := os.MkdirAll(filepath.Dir(w.Path), 0o700); err != nil {
		return err
	}
	if err := disk.IgnoreMissing(os.Remove(part)); err != nil {
		return err
	}
	if err := w.CopyTo(part); err != nil {
		return err
	}
	if err := os.Rename(part, w.Path+SavedEnding); err != nil {
		return err
	}

	w.vanished = false
	close(w.Safety.Saved)

	return disk.SyncDir(filepath.Dir(w.Path))
}

// ForeignEnding begins the ending of what stood in the place of what was saved.
const ForeignEnding = ".foreign-"

// TakeSaved puts what was saved in the place of the database. What stands there is moved aside, under a name with an
// ending and the time. It may be interrupted at any point, and reports where that is, and whether there was anything to
// do.
func TakeSaved(path, ending string, now time.Time) (aside string, taken bool, err error) {
	if !disk.Exists(path + SavedEnding) {
		return "", false, nil
	}

	to := path + ending + now.UTC().Format(CopyTime)
	for _, ending := range []string{"-wal", "-shm", ""} {
		if !disk.Exists(path + ending) {
			continue
		}
		if err := os.Rename(path+ending, to+ending); err != nil {
			return "", false, err
		}
		aside = to
	}
	if err := os.Rename(path+SavedEnding, path); err != nil {
		return "", false, err
	}

	return aside, true, disk.SyncDir(filepath.Dir(path))
}
