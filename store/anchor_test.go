package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
)

// openAnchored opens a database whose files have second names.
func openAnchored(t *testing.T, dir, anchor string) *Store {
	t.Helper()
	s := must.Have(Open(t.Context(), Options{Path: filepath.Join(dir, "parley.db"), Anchor: anchor}))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// news returns the next incident, "" for none.
func news(s *Store) string {
	select {
	case text := <-s.Incidents():
		return text
	default:
		return ""
	}
}

func TestRemovedDatabaseIsPutBack(t *testing.T) {
	needsFile(t)
	for name, remove := range map[string]func(t *testing.T, dir string){
		"directory": func(t *testing.T, dir string) { must.Do(t, os.RemoveAll(dir)) },
		"database":  func(t *testing.T, dir string) { must.Do(t, os.Remove(filepath.Join(dir, "parley.db"))) },
		"log":       func(t *testing.T, dir string) { must.Do(t, os.Remove(filepath.Join(dir, "parley.db-wal"))) },
		"replaced": func(t *testing.T, dir string) {
			path := filepath.Join(dir, "parley.db")
			must.Do(t, os.Remove(path))
			must.Do(t, os.WriteFile(path, []byte("something else"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, anchor := filepath.Join(t.TempDir(), "state"), t.TempDir()
			s := openAnchored(t, dir, anchor)
			addAgents(t, s, 2)
			appended(t, s)

			remove(t, dir)
			appended(t, s)
			if name != "log" && !strings.Contains(news(s), "put back") {
				t.Error("nobody is told")
			}
			must.Do(t, s.Close())

			wantStored(t, openAnchored(t, dir, anchor), 2)
		})
	}
}

func TestDatabaseRemovedWhileClosedIsPutBack(t *testing.T) {
	needsFile(t)
	dir, anchor := filepath.Join(t.TempDir(), "state"), t.TempDir()
	s := openAnchored(t, dir, anchor)
	addAgents(t, s, 2)
	appended(t, s)
	must.Do(t, s.Close())

	must.Do(t, os.RemoveAll(dir))
	s = openAnchored(t, dir, anchor)
	wantStored(t, s, 1)
	if !strings.Contains(news(s), "put back") {
		t.Error("nobody is told")
	}
}

// Without a second name on the same file system, nothing more is accepted, and what there
// is comes back from the copy. The same when both names were removed with their directories.
func TestRemovedDatabaseWithoutLinksIsSaved(t *testing.T) {
	needsFile(t)
	for name, remove := range map[string]func(t *testing.T, anchor string){
		"no links": func(t *testing.T, anchor string) {
			for _, ending := range anchored {
				must.Do(t, ignoreMissing(os.Remove(filepath.Join(anchor, "parley.db"+ending))))
			}
		},
		"both directories": func(t *testing.T, anchor string) { must.Do(t, os.RemoveAll(anchor)) },
	} {
		t.Run(name, func(t *testing.T) { testSaved(t, remove) })
	}
}

func testSaved(t *testing.T, remove func(t *testing.T, anchor string)) {
	t.Helper()
	dir, anchor := filepath.Join(t.TempDir(), "state"), filepath.Join(t.TempDir(), "anchor")
	must.Do(t, os.Mkdir(anchor, 0o700))
	s := openAnchored(t, dir, anchor)
	addAgents(t, s, 2)
	appended(t, s)

	// The writing goroutine does it, which else might look when half of it is done.
	err := s.write(t.Context(), "removing files", func(*tx) error {
		must.Do(t, os.RemoveAll(dir))
		remove(t, anchor)
		return nil
	})
	wantCode(t, "what was written meanwhile", err, parley.StorageUnavailable)
	_, err = s.Append(t.Context(), post(0, 1))
	wantCode(t, "Append", err, parley.StorageUnavailable)

	if got := news(s); !strings.Contains(got, "saved in "+anchor) {
		t.Errorf("got %q, want where the copy is", got)
	}
	if info := must.Have(os.Stat(s.anchor.saved()))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v, want 0600", info.Mode())
	}
	if _, err := s.Agents.List(t.Context()); err != nil {
		t.Errorf("reading meanwhile: %v", err)
	}
	must.Do(t, s.Close())

	s = openAnchored(t, dir, anchor)
	page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Total < 1 {
		t.Errorf("got %d messages, %v, want the one that was accepted", page.Total, err)
	}
}

// The second names come back when only they are removed: the first may be removed next.
func TestRemovedSecondNamesComeBack(t *testing.T) {
	needsFile(t)
	anchor := t.TempDir()
	s := openAnchored(t, filepath.Join(t.TempDir(), "state"), anchor)
	addAgents(t, s, 2)
	for _, name := range []string{"parley.db", "parley.db-wal"} {
		must.Do(t, os.Remove(filepath.Join(anchor, name)))
	}
	for _, name := range []string{"parley.db", "parley.db-wal"} {
		must.Do(t, wait.Until(t.Context(), 20*time.Millisecond, func() (bool, error) {
			return exists(filepath.Join(anchor, name)), nil
		}))
	}
}

// appended stores one message.
func appended(t *testing.T, s *Store) {
	t.Helper()
	must.Have(s.Append(t.Context(), post(0, 1)))(t)
}
