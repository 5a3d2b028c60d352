package store

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

func TestOpenCreatesPrivateFile(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "dir", "parley ?%#.db")
	s := openAt(t, path)
	addAgents(t, s, 1)
	for _, f := range []struct {
		path string
		want fs.FileMode
	}{{path, 0o600}, {path + "-wal", 0o600}, {filepath.Dir(path), fs.ModeDir | 0o700}} {
		info := must.Have(os.Stat(f.path))(t)
		if got := info.Mode(); got != f.want {
			t.Errorf("%s: got mode %v, want %v", f.path, got, f.want)
		}
	}

	if copies := copiesOf(t, path); len(copies) != 0 {
		t.Errorf("a new database was copied: %v", copies)
	}
}

func TestOpenSetsPragmas(t *testing.T) {
	needsFile(t)
	s := openTest(t)
	var mode string
	var synchronous, foreign, readonly int
	for pragma, dest := range map[string]any{"journal_mode": &mode, "synchronous": &synchronous,
		"foreign_keys": &foreign} {
		must.Do(t, s.db.base.WriterConn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(dest))
	}

	must.Do(t, s.db.base.ReaderPool.QueryRow("PRAGMA query_only").Scan(&readonly))

	const full = 2
	if mode != "wal" || synchronous != full || foreign != 1 || readonly != 1 {
		t.Errorf("journal_mode %s, synchronous %d, foreign_keys %d, query_only %d, want wal, 2, 1, 1", mode,
			synchronous, foreign, readonly)
	}

	if _, err := s.db.base.ReaderPool.Exec("DELETE FROM agents"); err == nil {
		t.Error("a reader could write")
	}
}

func TestReopenedStoreHasItsRows(t *testing.T) {
	s, path := openNew(t, 3)
	last := s.Events.LastEvent()
	must.Do(t, s.Close())
	s = openAt(t, path)
	if agents, err := s.Agents.List(t.Context()); err != nil || len(agents) != 3 || s.Events.LastEvent() != last {
		t.Errorf("got %d agents, %v, last event %d, want 3 and %d", len(agents), err, s.Events.LastEvent(), last)
	}
}

func TestEventNumbersAreNotUsedTwice(t *testing.T) {
	s, path := openNew(t, 3)
	must.Do(t, s.Close())

	run(t, raw(t, path), "DELETE FROM events")
	s = openAt(t, path)
	if got := s.Events.LastEvent(); got != 3 {
		t.Errorf("LastEvent after its row was removed: got %d, want 3", got)
	}
	if err := s.Agents.CreateAgent(t.Context(), testAgent(9), nil); err != nil || s.Events.LastEvent() != 4 {
		t.Errorf("the next event: got %d, %v, want 4", s.Events.LastEvent(), err)
	}
}

// wantRefused checks that Open refuses the file, with all words in the message or in the
// suggestion, and does not change it.
func wantRefused(t *testing.T, path string, words ...string) {
	t.Helper()
	before := must.Have(os.ReadFile(path))(t)

	s, err := open(t.Context(), Options{Path: path}, tuning{busyTimeout: 50 * time.Millisecond})
	if err == nil {
		s.Close()
		t.Fatal("it was opened")
	}

	wantCode(t, "open", err, parley.StorageUnavailable)
	text := err.Error() + "\n" + parley.AsError(err).Action
	for _, word := range append(words, path) {
		if !strings.Contains(text, word) {
			t.Errorf("%q is not said in: %s", word, text)
		}
	}

	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	must.Do(t, os.WriteFile(path, []byte(strings.Repeat("not a database, but a letter\n", 100)), 0o600))
	wantRefused(t, path, "not a database", "parley backup")
}

func TestOpenRefusesForeignDatabase(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	db := raw(t, path)
	run(t, db, "PRAGMA journal_mode = WAL; CREATE TABLE recipes (id INTEGER)")
	db.Close()
	wantRefused(t, path, "but not parley's")
}

func TestOpenRefusesDamage(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 50)
	must.Do(t, s.Close())

	f := must.Have(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer f.Close()

	info, _ := f.Stat()
	for at := int64(8192); at < info.Size(); at += 4096 {
		must.Have(f.WriteAt([]byte(strings.Repeat("damage! ", 100)), at))(t)
	}

	wantRefused(t, path, "damaged", "parley backup")
}

func TestOpenRefusesNewerVersion(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	must.Do(t, openAt(t, path).Close())
	db := raw(t, path)
	run(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	db.Close()
	wantRefused(t, path, "newer parley", "99", "parley backup")
	dir := Copies{}.Or(path).Dir
	must.Do(t, os.Mkdir(dir, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(dir, "parley-20260102T030405.000-v1.db"), nil, 0o600))
	wantRefused(t, path, dir)
}

func TestOpenRefusesLockedDatabase(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley.db")
	must.Do(t, openAt(t, path).Close())
	db := raw(t, path)
	run(t, db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
	wantRefused(t, path, "locked by another process", "fuser")
	run(t, db, "ROLLBACK")
	db.Close()
	addAgents(t, openAt(t, path), 1)
}

func TestOpenRefusesDirectory(t *testing.T) {
	needsFile(t)
	_, err := Open(t.Context(), Options{Path: t.TempDir()})
	wantCode(t, "Open", err, parley.StorageUnavailable)
}

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
