package store

import (
	"os"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// Whatever happens to the names of the open files, what was accepted is saved, nothing more is
// accepted, and the next Open goes on with it. What has taken a name is kept.
func TestFilesThatVanishAreSaved(t *testing.T) {
	needsFile(t)
	for name, remove := range map[string]func(t *testing.T, path string){
		"the directory": func(t *testing.T, path string) { must.Do(t, os.RemoveAll(filepath.Dir(path))) },
		"the database":  func(t *testing.T, path string) { must.Do(t, os.Remove(path)) },
		"the log":       func(t *testing.T, path string) { must.Do(t, os.Remove(path+"-wal")) },
		"its index":     func(t *testing.T, path string) { must.Do(t, os.Remove(path+"-shm")) },
		"the name": func(t *testing.T, path string) {
			must.Do(t, os.Remove(path))
			must.Do(t, os.WriteFile(path, []byte("something else"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state", "parley.db")
			s := openAt(t, path)
			addAgents(t, s, 2)
			appended(t, s)

			remove(t, path)
			<-s.Workspace.Vanished()
			_, err := s.Messages.Append(t.Context(), post(0, 1))
			wantCode(t, "Append", err, parley.StorageUnavailable)
			if info := must.Have(os.Stat(path + engine.SavedEnding))(t); info.Mode().Perm() != 0o600 {
				t.Errorf("what was saved has mode %v, want 0600", info.Mode())
			}
			if _, err := s.Agents.List(t.Context()); err != nil {
				t.Errorf("reading meanwhile: %v", err)
			}
			must.Do(t, s.Close())

			s = openAt(t, path)
			wantStored(t, s, 1)
			if len(s.Workspace.Incidents()) == 0 {
				t.Error("the operator is not told")
			}
			aside := must.Have(filepath.Glob(path + ".foreign-*"))(t)
			if name == "the name" && len(aside) == 0 {
				t.Error("what had taken the name is gone")
			}
		})
	}
}

// While it cannot be saved, the daemon keeps what it holds, and tries again.
func TestWhatVanishedIsSavedAsSoonAsItCanBe(t *testing.T) {
	needsFile(t)
	dir := filepath.Join(t.TempDir(), "state")
	s := openAt(t, filepath.Join(dir, "parley.db"))
	addAgents(t, s, 2)
	appended(t, s)

	must.Do(t, os.Rename(dir, dir+"-away"))
	must.Do(t, os.WriteFile(dir, nil, 0o600)) // in the way of the directory
	for s.Workspace.Refusal() == nil {
		_, _ = s.Messages.Append(t.Context(), post(0, 1)) // until it is refused
	}
	must.Do(t, os.Remove(dir))
	<-s.Workspace.Vanished()
}

// appended stores one message.
func appended(t *testing.T, s *Store) {
	t.Helper()
	must.Have(s.Messages.Append(t.Context(), post(0, 1)))(t)
}

// news returns the next incident, "" for none.
func news(s *Store) string {
	select {
	case text := <-s.Workspace.Incidents():
		return text
	default:
		return ""
	}
}

// A database that is cut while it is open is noticed before another message is accepted, which nobody could read again.
func TestADatabaseThatIsCutAcceptsNothingMore(t *testing.T) {
	needsFile(t)
	for _, keep := range []int64{0, 50, 4096, -4096} {
		path := filepath.Join(t.TempDir(), "parley.db")
		must.Do(t, openAt(t, path).Close()) // all of it is in the file
		s := openAt(t, path)
		addAgents(t, s, 2)

		size := must.Have(os.Stat(path))(t).Size()
		if keep < 0 {
			size += keep
		} else {
			size = keep
		}
		must.Do(t, os.Truncate(path, size))
		must.Become(t, "the store refuses", func() bool { return s.Workspace.Refusal() != nil })
		if _, err := s.Messages.Append(t.Context(), post(0, 1)); parley.ErrorCode(err) != parley.StorageUnavailable {
			t.Errorf("cut to %d bytes: got %v", size, err)
		}
		_ = s.Close()
	}
}
