package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/place"
)

// A daemon that cannot say itself why it gives up has its words in the log, or was killed.
func TestEarlyEndNamesItsCause(t *testing.T) {
	for script, want := range map[string]string{
		"echo 'fatal error: out of memory' >&2; echo stack >&2; exit 2": "before it was ready: out of memory",
		"kill -9 $$": "was killed before it was ready",
		"exit 1":     "ended before it was ready",
	} {
		dir := t.TempDir()
		at := place.Locate(t.TempDir(), Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + dir})
		must.Do(t, at.Prepare())
		must.Do(t, os.WriteFile(filepath.Join(at.Root, "serve"), []byte(script), 0o600)) // for the shell
		must.Do(t, os.WriteFile(at.Log(), []byte("panic: of an earlier daemon\n"), 0o600))

		err := Starter{Executable: "/bin/sh", Now: time.Now}.Start(t.Context(), at)
		e := parley.AsError(err)
		if e.Code != parley.DaemonUnavailable || !strings.HasSuffix(e.Message, want) || e.Action == "" {
			t.Errorf("%s: got %v → %s, want %q", script, err, e.Action, want)
		}
	}
}

// Ensure starts one after the other while it waits for a daemon that begins or ends.
func TestStarterKeepsNoLogOpen(t *testing.T) {
	at := place.Locate(t.TempDir(), Environ{"HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()})
	for range 3 {
		if err := (Starter{Executable: "/bin/false", Now: time.Now}).Start(t.Context(), at); err == nil {
			t.Fatal("a program that is no daemon has started")
		}
	}

	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(open) == 0 {
		t.Skip("this system does not show the open files")
	}
	for _, fd := range open {
		if name, err := os.Readlink(fd); err == nil && name == at.Log() {
			t.Errorf("%s is open", name)
		}
	}
}
