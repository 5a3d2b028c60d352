package store

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/glebarez/sqlite"

	"parley"
)

// raw opens a database as another program would.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open(sqlite.DriverName, path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	if _, err := db.Exec(statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

func TestOpenMakesFileOfItsOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "parley ?%#.db")
	s := openAt(t, path)
	addAgents(t, s, 1)
	for _, f := range []struct {
		path string
		want fs.FileMode
	}{{path, 0o600}, {path + "-wal", 0o600}, {filepath.Dir(path), fs.ModeDir | 0o700}} {
		info, err := os.Stat(f.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != f.want {
			t.Errorf("%s: got mode %v, want %v", f.path, got, f.want)
		}
	}

	if copies := copiesOf(t, path); len(copies) != 0 {
		t.Errorf("a new database was copied: %v", copies)
	}
}

func TestOpenSetsWhatItPromises(t *testing.T) {
	s := openTest(t)
	var mode string
	var synchronous, foreign, readonly int
	for pragma, dest := range map[string]any{"journal_mode": &mode, "synchronous": &synchronous, "foreign_keys": &foreign} {
		if err := s.writerConn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(dest); err != nil {
			t.Fatal(err)
		}
	}

	if err := s.readerPool.QueryRow("PRAGMA query_only").Scan(&readonly); err != nil {
		t.Fatal(err)
	}

	const full = 2
	if mode != "wal" || synchronous != full || foreign != 1 || readonly != 1 {
		t.Errorf(
			"journal_mode %s, synchronous %d, foreign_keys %d, query_only %d, want wal, 2, 1, 1",
			mode,
			synchronous,
			foreign,
			readonly,
		)
	}

	if _, err := s.readerPool.Exec("DELETE FROM agents"); err == nil {
		t.Error("a reader could write")
	}
}

func TestOpenKeepsWhatWasStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 3)
	last := s.LastEvent()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if agents, err := s.Agents(t.Context()); err != nil || len(agents) != 3 || s.LastEvent() != last {
		t.Errorf("got %d agents, %v, last event %d, want 3 and %d", len(agents), err, s.LastEvent(), last)
	}
}

func TestEventNumbersAreNotUsedTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 3)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	run(t, raw(t, path), "DELETE FROM events")
	s = openAt(t, path)
	if got := s.LastEvent(); got != 3 {
		t.Errorf("LastEvent after its row was removed: got %d, want 3", got)
	}
	if err := s.CreateAgent(t.Context(), testAgent(9), nil); err != nil || s.LastEvent() != 4 {
		t.Errorf("the next event: got %d, %v, want 4", s.LastEvent(), err)
	}
}

// wantRefused checks that the file is refused, with all words in the message
// or in the suggestion, and is as it was.
func wantRefused(t *testing.T, path string, words ...string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

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

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("not a database, but a letter\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, path, "not a database", "parley backup")
}

func TestOpenRefusesForeignDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	db := raw(t, path)
	run(t, db, "PRAGMA journal_mode = WAL; CREATE TABLE recipes (id INTEGER)")
	db.Close()
	wantRefused(t, path, "not one of parley's")
}

func TestOpenRefusesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 50)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	info, _ := f.Stat()
	for at := int64(8192); at < info.Size(); at += 4096 {
		if _, err := f.WriteAt([]byte(strings.Repeat("damage! ", 100)), at); err != nil {
			t.Fatal(err)
		}
	}

	wantRefused(t, path, "damaged", "parley backup")
}

func TestOpenRefusesNewerVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	run(t, db, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	db.Close()
	wantRefused(t, path, "newer parley", "99", "parley backup")
	if err := os.WriteFile(path+".bak-1-20260102T030405.000", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, path, path+".bak-*")
}

func TestOpenRefusesLockedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := openAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db := raw(t, path)
	run(t, db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
	wantRefused(t, path, "locked by another process", "fuser")
	run(t, db, "ROLLBACK")
	db.Close()
	addAgents(t, openAt(t, path), 1)
}

func TestOpenRefusesDirectory(t *testing.T) {
	_, err := Open(t.Context(), Options{Path: t.TempDir()})
	wantCode(t, "Open", err, parley.StorageUnavailable)
}

func copiesOf(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + ".bak-*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// later is the embedded migrations and one that is yet to be written.
func later(t *testing.T, sql string) fs.FS {
	t.Helper()
	files := fstest.MapFS{"00099_later.sql": {Data: []byte("-- +goose Up\n" + sql)}}
	now, err := migrations()
	if err != nil {
		t.Fatal(err)
	}

	names, err := fs.Glob(now, "*.sql")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range names {
		data, err := fs.ReadFile(now, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: data}
	}

	return files
}

// fixture makes a database of a released version from its SQL text.
func fixture(t *testing.T, name string) (path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "parley.db")
	db := raw(t, path)
	run(t, db, string(text))
	db.Close()
	return path
}

// wantFixture checks that the store has what testdata/v1.sql holds.
func wantFixture(t *testing.T, s *Store) {
	t.Helper()
	agents, err := s.Agents(t.Context())
	if err != nil || len(agents) != 2 || agents[0].Name != "coder" ||
		!slices.Equal(agents[0].Capabilities, []string{"go", "sql"}) {
		t.Errorf("agents: got %+v, %v", agents, err)
	}

	m, deliveries, err := s.Message(t.Context(), "5f0c21aa")
	if err != nil || m.Text != "please rebase" || m.Sender != "operator" || len(deliveries) != 1 ||
		len(deliveries[0].Steps) != 2 {
		t.Errorf("message: got %+v, %+v, %v", m, deliveries, err)
	}

	if got := s.LastEvent(); got != 4 {
		t.Errorf("LastEvent: got %d, want 4", got)
	}
}

func TestFirstVersionOpens(t *testing.T) { wantFixture(t, openAt(t, fixture(t, "v1.sql"))) }

func TestMigrationKeepsCopy(t *testing.T) {
	path := fixture(t, "v1.sql")
	tuned := tuning{busyTimeout: time.Second, migrations: later(t, "ALTER TABLE agents ADD COLUMN shoe_size INTEGER;")}
	s, err := open(t.Context(), Options{Path: path}, tuned)
	if err != nil {
		t.Fatal(err)
	}

	wantFixture(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	copies := copiesOf(t, path)
	if len(copies) != 1 || !strings.HasPrefix(copies[0], path+".bak-1-") {
		t.Fatalf("copies: got %v, want one of version 1", copies)
	}

	// The older program cannot read the new one, but the copy.
	wantRefused(t, path, "newer parley")
	old := filepath.Join(t.TempDir(), "old.db")
	if err := os.Rename(copies[0], old); err != nil {
		t.Fatal(err)
	}

	s = openAt(t, old)
	wantFixture(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// The newer one has nothing to migrate any more.
	s, err = open(t.Context(), Options{Path: path}, tuned)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	if got := copiesOf(t, path); len(got) != 0 {
		t.Errorf("copies after opening again: %v", got)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	path := fixture(t, "v1.sql")
	tuned := tuning{
		busyTimeout: time.Second,
		migrations:  later(t, "ALTER TABLE agents ADD COLUMN shoe_size INTEGER;\nDROP TABLE nothing_there;"),
	}
	if s, err := open(t.Context(), Options{Path: path}, tuned); err == nil {
		s.Close()
		t.Fatal("a migration that fails went through")
	}
	wantFixture(t, openAt(t, path))
}

func TestThreeCopiesAreKept(t *testing.T) {
	path := fixture(t, "v1.sql")
	for i := range 5 {
		name := path + ".bak-0-" + string(rune('a'+i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}

		then := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(name, then, then); err != nil {
			t.Fatal(err)
		}
	}

	s, err := open(
		t.Context(),
		Options{Path: path},
		tuning{busyTimeout: time.Second, migrations: later(t, "CREATE TABLE shoes (id INTEGER);")},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	copies := copiesOf(t, path)
	if len(copies) != 3 || !slices.Contains(copies, path+".bak-0-e") || !slices.Contains(copies, path+".bak-0-d") {
		t.Errorf("copies: got %v, want d, e and the new one", copies)
	}
}

func TestBackupIsWholeAndPrivate(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	if _, err := s.Append(t.Context(), post(0, 1)); err != nil {
		t.Fatal(err)
	}

	path := filepath.Join(t.TempDir(), "copy.db")
	size, err := s.Backup(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}

	info, err := os.Stat(path)
	if err != nil || info.Size() != size || info.Mode() != 0o600 {
		t.Errorf("got %v, %v, want %d bytes, mode 0600", info, err, size)
	}

	page, err := openAt(t, path).Inbox(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Total != 1 {
		t.Errorf("the copy: got %d messages, %v, want 1", page.Total, err)
	}
}

func TestBackupRefusesWhatItCannotWrite(t *testing.T) {
	s := openTest(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, path := range []string{"relative.db", there, filepath.Join(dir, "no", "dir", "copy.db")} {
		_, err := s.Backup(t.Context(), path)
		wantCode(t, path, err, parley.InvalidArgument)
	}

	if got, err := os.ReadFile(there); err != nil || string(got) != "mine" {
		t.Errorf("the file that was there: %q, %v", got, err)
	}
}
