package terminal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// staleAfter is how old a launch file must be to be nobody's: one that is younger
// may be about to be read. It is far beyond startTime.
const staleAfter = 2 * time.Minute

// Sweep removes private files that a crash left: launches that never began, which
// have a key in them, and what was handed over to agents that are no more.
func (ts *Terminals) Sweep() {
	files, err := filepath.Glob(filepath.Join(ts.opts.LaunchDir, "launch-*.json"))
	for _, file := range files {
		info, failed := os.Stat(file)
		if failed == nil && ts.now().Sub(info.ModTime()) > staleAfter {
			err = errors.Join(err, ignore(os.Remove(file), fs.ErrNotExist))
		}
	}

	dirs, failed := os.ReadDir(filepath.Join(ts.opts.LaunchDir, "agents"))
	err = errors.Join(err, ignore(failed, fs.ErrNotExist))
	for _, dir := range dirs {
		if m := ts.roster.ByID(dir.Name()); m == nil || m.Abandoned() {
			err = errors.Join(err, os.RemoveAll(filepath.Join(ts.opts.LaunchDir, "agents", dir.Name())))
		}
	}

	if err != nil {
		ts.log.Warn("remove files of what is no more", "error", err)
	}
}
