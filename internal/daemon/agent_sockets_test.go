package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
	"parley/internal/place"
	"parley/orchestrator/terminal"
	"parley/program/profile"
)

// A file beside an agent's socket says that a message waits for its hooks. What the agent puts in its place leads
// nowhere else.
func TestAFileBesideItsSocketBeckons(t *testing.T) {
	home, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "file")
	s := newAgentSockets(place.Place{Home: home}, func() Info { return Info{} })
	must.Do(t, s.Beckon("unknown", true))
	dir := must.Have(s.Open("agent"))(t)
	t.Cleanup(func() { must.Do(t, s.Remove("agent")) })

	name := filepath.Join(dir, terminal.SocketName+profile.UrgentSuffix)
	for _, up := range []bool{false, true, true, false, false} {
		must.Do(t, s.Beckon("agent", up))
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) == up {
			t.Errorf("with %v, its file is there: %v", up, err)
		}
	}

	must.Do(t, os.Symlink(elsewhere, name))
	if err := s.Beckon("agent", true); err == nil {
		t.Error("a link out of the directory is followed")
	}
	if _, err := os.Lstat(elsewhere); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it made a file elsewhere: %v", err)
	}
	must.Do(t, s.Beckon("agent", false))
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link is still there: %v", err)
	}
}
