package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/plainfile"
)

// keepNote makes a file hold text. Others rely on it meanwhile: a right one stays, and a wrong one is
// replaced at once.
func keepNote(path, text string) error {
	if there, err := plainfile.Read(path, maxNote); err == nil && string(there) == text {
		return nil
	}

	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*") // 0600
	if err != nil {
		return err
	}

	_, err = part.WriteString(text)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}

	return err
}

// Workspaces returns the places of all workspaces in which the user has run a daemon and that still
// exist. It knows none if the user has no directory for the state of programs.
func Workspaces(env Environ) []Place {
	state := stateHome(env)
	if state == "" {
		return nil
	}

	var all []Place
	for _, h := range homes(filepath.Join(state, "parley")) {
		if _, err := os.Stat(h.root); h.root == "" || err != nil {
			continue
		}
		if at := Locate(h.root, env); at.Home == h.dir {
			all = append(all, at)
		}
	}

	return all
}

// globQuote returns a pattern that matches a path.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// LastUsed returns when the database was last written, zero if that is not known.
func (p Place) LastUsed() (last time.Time) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(p.Database() + suffix); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
