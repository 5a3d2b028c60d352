package store

import (
	"database/sql"
	"path/filepath"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// damage breaks an index, which does not show when a table is read.
func damage(t *testing.T, path string) {
	t.Helper()
	db := raw(t, path)
	run(t, db, `PRAGMA writable_schema = ON`)
	run(t, db,
		`UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'agent_log') WHERE name = 'messages_requests'`)
	db.Close()
}

func TestOpenChecksOnlyUnclosedDatabases(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	open := func(path string) (*Store, error) { return Open(t.Context(), Options{Path: path}) }
	s := openAt(t, path)
	addAgents(t, s, 2)
	must.Do(t, s.Close())

	var marks int
	db := raw(t, path)
	if err := db.QueryRow(`SELECT count(*) FROM facts WHERE name = ?`, engine.OpenFact).Scan(&marks); err != nil ||
		marks != 0 {
		t.Errorf("a closed database has %d marks, %v", marks, err)
	}
	must.Do(t, db.Close())

	// A copy of an open database stands for what a killed daemon leaves.
	s = openAt(t, path)
	say(t, s, "hello", 0, 1)
	left := filepath.Join(t.TempDir(), "left.db")
	must.Have(s.Workspace.Backup(t.Context(), left))(t)
	must.Do(t, s.Close())

	damage(t, path)
	damage(t, left)
	_, err := open(left)
	wantCode(t, "opening what was not closed", err, parley.StorageUnavailable)

	s, err = open(path)
	if err != nil {
		t.Fatalf("a database that was closed was checked: %v", err)
	}
	must.Do(t, s.Close())
}

func TestReadingLeavesNoOpenMark(t *testing.T) {
	needsFile(t)
	s, _ := openNew(t, 1)
	left := filepath.Join(t.TempDir(), "left.db")
	must.Have(s.Workspace.Backup(t.Context(), left))(t)

	marked := func(db *sql.DB) (n int) {
		must.Do(t, db.QueryRow(`SELECT count(*) FROM facts WHERE name = ?`, engine.OpenFact).Scan(&n))
		return n
	}

	if got := marked(raw(t, left)); got != 1 {
		t.Errorf("a copy of an open database has %d marks, want 1", got)
	}

	// It was checked, and is not checked again.
	s = openAt(t, left)
	must.Do(t, s.Close())
	if got := marked(raw(t, left)); got != 0 {
		t.Errorf("after it was checked and closed it has %d marks, want 0", got)
	}
}
