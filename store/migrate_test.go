package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// later returns the migrations of a database and one more.
func later(t *testing.T, d *engine.Dialect, sql string) fs.FS {
	t.Helper()
	return must.Have(laterSteps(d, sql))(t)
}

func TestOlderDatabaseIsRefusedUntouched(t *testing.T) {
	needsFile(t)
	path := brought(t, newestVersion)
	db := raw(t, path)
	run(t, db, "UPDATE goose_db_version SET version_id = 46 WHERE version_id > 0")
	must.Do(t, db.Close())

	wantRefused(t, path, "older parley", "version is 46")
	_, err := Inspect(t.Context(), Options{Path: path})
	wantOlder(t, "Inspect", err)
	_, err = Repair(t.Context(), Options{Path: path})
	wantOlder(t, "Repair", err)
	_, err = Move(t.Context(), Options{Path: path}, Options{Path: filepath.Join(t.TempDir(), "to.db")},
		func(string, int64) {})
	wantOlder(t, "Move", err)
	if _, err = schema.ExamineCopy(t.Context(), path); err == nil {
		t.Error("it would be put back as a copy")
	}

	wantRefused(t, path, "older parley")
	for _, f := range must.Have(os.ReadDir(filepath.Dir(path)))(t) {
		// a reader makes those of the log
		if !slices.Contains(engine.Endings, strings.TrimPrefix(f.Name(), filepath.Base(path))) {
			t.Errorf("a file was added: %s", f.Name())
		}
	}
}

func TestOlderServerIsRefusedUntouched(t *testing.T) {
	needsServer(t)
	s, path := openNew(t, 0)
	must.Do(t, s.Close())
	db := raw(t, path)
	run(t, db, "UPDATE goose_db_version SET version_id = version_id - 10 WHERE version_id > 0")
	t.Cleanup(func() {
		run(t, raw(t, path), "UPDATE goose_db_version SET version_id = version_id + 10 WHERE version_id > 0")
	})
	epochs := listed(t, raw(t, path), "SELECT CAST(epoch AS text) FROM workspace")

	_, err := Open(t.Context(), at(t, path))
	wantOlder(t, "Open", err)
	_, err = Inspect(t.Context(), at(t, path))
	wantOlder(t, "Inspect", err)
	if now := listed(t, raw(t, path), "SELECT CAST(epoch AS text) FROM workspace"); now[0] != epochs[0] {
		t.Errorf("the workspace was taken: epoch %s became %s", epochs[0], now[0])
	}
}

// wantOlder checks that something is refused with the way up.
func wantOlder(t *testing.T, what string, err error) {
	t.Helper()
	wantCode(t, what, err, parley.StorageUnavailable)
	e := parley.AsError(err)
	if !strings.Contains(e.Message, "older parley") || !strings.Contains(e.Action, "Nothing was changed") {
		t.Errorf("%s: got %s %s", what, e.Message, e.Action)
	}
}

func TestBothDatabasesHaveTheSameSteps(t *testing.T) {
	names := func(d *engine.Dialect) []string {
		return must.Have(fs.Glob(must.Have(fs.Sub(embedded, "migrations/"+d.Folder))(t), "*"))(t)
	}
	steps := names(&engine.SQLite)
	if diff := cmp.Diff(steps, names(&engine.Postgres)); diff != "" {
		t.Errorf("(-SQLite +PostgreSQL):\n%s", diff)
	}
	numbers := must.Have(engine.StepNumbers(must.Have(fs.Sub(embedded, "migrations/sqlite"))(t)))(t)
	first, last := numbers[0], numbers[len(numbers)-1]
	if first != firstVersion || last != newestVersion {
		t.Errorf("they go from %d to %d, want %d to %d", first, last, firstVersion, newestVersion)
	}
}

func TestMigrationKeepsCopy(t *testing.T) {
	needsFile(t)
	path := brought(t, newestVersion)
	tuned := tuning{
		busyTimeout: time.Second,
		migrations:  later(t, &engine.SQLite, "ALTER TABLE agents ADD COLUMN shoe_size INTEGER;"),
	}
	s := must.Have(open(t.Context(), Options{Path: path}, tuned))(t)

	wantFilled(t, s)
	must.Do(t, s.Close())

	copies := copiesOf(t, path)
	if len(copies) != 1 || !strings.HasSuffix(copies[0], fmt.Sprintf("-v%d.db", newestVersion)) {
		t.Fatalf("copies: got %v, want one of the version before", copies)
	}

	// The older program cannot read the new database, but it can read the copy.
	wantRefused(t, path, "newer parley")
	old := filepath.Join(t.TempDir(), "old.db")
	must.Do(t, os.Rename(copies[0], old))

	s = openAt(t, old)
	wantFilled(t, s)
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
	path := brought(t, newestVersion)
	tuned := tuning{
		busyTimeout: time.Second,
		migrations: later(t, &engine.SQLite, "ALTER TABLE agents ADD COLUMN shoe_size INTEGER;\nDROP TABLE "+
			"nothing_there;"),
	}
	if s, err := open(t.Context(), Options{Path: path}, tuned); err == nil {
		s.Close()
		t.Fatal("a migration that fails went through")
	}
	wantFilled(t, openAt(t, path))
}

// copiesOf returns the paths of the automatic copies, the newest first.
func copiesOf(t *testing.T, path string) (paths []string) {
	t.Helper()
	for _, c := range must.Have(Copies{}.Or(path).List())(t) {
		paths = append(paths, c.Path)
	}
	return paths
}
