package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/plainfile"
)

// rootFile is the file in a workspace's [Place.Anchor] that says where the workspace is.
const rootFile = "workspace"

// writeRoot says outside of the workspace where it is, for Workspaces.
func (p Place) writeRoot() error {
	if p.Anchor() == "" {
		return nil
	}
	if err := keepNote(filepath.Join(p.Anchor(), rootFile), p.Root+"\n"); err != nil {
		return fmt.Errorf("note where the workspace is: %w", err)
	}
	return nil
}

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
	files, _ := filepath.Glob(filepath.Join(globQuote(state), "parley", "*", rootFile)) // the pattern is sound
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		at := Locate(strings.TrimSuffix(string(text), "\n"), env)
		if at.Launch == filepath.Dir(file) && at.InUse() {
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
