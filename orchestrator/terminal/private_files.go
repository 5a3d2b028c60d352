package terminal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/program/door"
)

// staleAfter is the age at which a launch file is left over: a younger one may be about to be read.
// It is far longer than startTime.
const staleAfter = 2 * time.Minute

// Sweep removes private files that a crash has left: launches that never started, which hold a key,
// and the files of agents that are terminated. It logs its errors.
func (ts *Terminals) Sweep() {
	files, err := filepath.Glob(filepath.Join(ts.opts.LaunchDir, "launch-*.json"))
	for _, file := range files {
		info, failed := os.Stat(file)
		if failed == nil && ts.now().Sub(info.ModTime()) > staleAfter {
			err = errors.Join(err, ignoreError(os.Remove(file), fs.ErrNotExist))
		}
	}

	dirs, failed := os.ReadDir(filepath.Join(ts.opts.LaunchDir, "agents"))
	err = errors.Join(err, ignoreError(failed, fs.ErrNotExist))
	for _, dir := range dirs {
		if m := ts.roster.ByID(dir.Name()); m == nil || m.IsGone() {
			path := PrivateDir(ts.opts.LaunchDir, dir.Name())
			err = errors.Join(err, door.Remove(path), os.RemoveAll(path))
		}
	}

	homes, failed := os.ReadDir(ts.launcher.homes()) // of sandboxes
	err = errors.Join(err, ignoreError(failed, fs.ErrNotExist))
	for _, dir := range homes {
		if ts.roster.ByID(dir.Name()) == nil {
			err = errors.Join(err, os.RemoveAll(filepath.Join(ts.launcher.homes(), dir.Name())))
		}
	}

	if err != nil {
		ts.log.Warn("remove left-over private files", "error", err)
	}
}
