package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// rootFile is the file in a workspace's [Place.Anchor] that says where the workspace is.
const rootFile = "workspace"

// writeRoot says outside of the workspace where it is, for Workspaces.
func (p Place) writeRoot() error {
	if p.Anchor() == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(p.Anchor(), rootFile), []byte(p.Root+"\n"), 0o600); err != nil {
		return fmt.Errorf("note where the workspace is: %w", err)
	}
	return nil
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
