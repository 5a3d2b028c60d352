package trial

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/must"
	"parley/program/profile"
)

// A program that does not know the question for its version waits for what nobody types.
func TestAProgramHasLimitedTimeToTellItsVersion(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "silent")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700))

	began := time.Now()
	p := &profile.Profile{Version: []string{"--version"}}
	version, err := VersionOf(t.Context(), p, []string{program}, os.Environ())
	if took := time.Since(began); version != "" || err == nil || took < versionWithin || took > 5*time.Minute {
		t.Errorf("got %q, %v after %s, want an error after %s", version, err, took, versionWithin)
	}
}

// On a busy machine a large program takes longer for its first start than for the next.
func TestAProgramIsAskedForItsVersionOnceMore(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "slow")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\n[ -e $0.1 ] || { >$0.1; exec sleep 9m; }; echo 1.2.3"), 0o700))

	p := &profile.Profile{Version: []string{"--version"}}
	version, err := VersionOf(t.Context(), p, []string{program}, os.Environ())
	if version != "1.2.3" || err != nil {
		t.Errorf("got %q, %v", version, err)
	}
}
