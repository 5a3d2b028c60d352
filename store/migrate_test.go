package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"parley/internal/must"
)

// later returns the embedded migrations and one more.
func later(t *testing.T, sql string) fs.FS {
	t.Helper()
	files := fstest.MapFS{"00099_later.sql": {Data: []byte("-- +goose Up\n" + sql)}}
	now := must.Have(sqlMigrations(&sqliteDialect))(t)

	names := must.Have(fs.Glob(now, "*.sql"))(t)

	for _, name := range names {
		data := must.Have(fs.ReadFile(now, name))(t)
		files[name] = &fstest.MapFile{Data: data}
	}

	return files
}

// fixture makes a database of a released version from its SQL text.
func fixture(t *testing.T, name string) (path string) {
	t.Helper()
	needsFile(t)
	text := must.Have(os.ReadFile(filepath.Join("testdata", name)))(t)
	path = filepath.Join(t.TempDir(), "parley.db")
	db := raw(t, path)
	run(t, db, string(text))
	db.Close()
	return path
}

// wantFixture checks that the store has what testdata/v1.sql holds.
func wantFixture(t *testing.T, s *Store) {
	t.Helper()
	agents, err := s.Agents.List(t.Context())
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
	needsFile(t)
	path := fixture(t, "v1.sql")
	tuned := tuning{busyTimeout: time.Second, migrations: later(t, "ALTER TABLE agents ADD COLUMN shoe_size INTEGER;")}
	s := must.Have(open(t.Context(), Options{Path: path}, tuned))(t)

	wantFixture(t, s)
	must.Do(t, s.Close())

	copies := copiesOf(t, path)
	if len(copies) != 1 || !strings.HasSuffix(copies[0], "-v1.db") {
		t.Fatalf("copies: got %v, want one of version 1", copies)
	}

	// The older program cannot read the new database, but it can read the copy.
	wantRefused(t, path, "newer parley")
	old := filepath.Join(t.TempDir(), "old.db")
	must.Do(t, os.Rename(copies[0], old))

	s = openAt(t, old)
	wantFixture(t, s)
	must.Do(t, s.Close())

	// The newer one has nothing left to migrate.
	s = must.Have(open(t.Context(), Options{Path: path}, tuned))(t)
	defer s.Close()

	if got := copiesOf(t, path); len(got) != 0 {
		t.Errorf("copies after opening again: %v", got)
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	needsFile(t)
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

// copiesOf returns the paths of the automatic copies, the newest first.
func copiesOf(t *testing.T, path string) (paths []string) {
	t.Helper()
	for _, c := range must.Have(Copies{}.or(path).List())(t) {
		paths = append(paths, c.Path)
	}
	return paths
}
