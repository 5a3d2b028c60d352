package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glebarez/sqlite"

	"parley"
)

func TestInspectReadsWhileOthersWriteAndChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley ?%#.db")
	s := openAt(t, path)
	addAgents(t, s, 3)
	h, err := Inspect(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if h.Version == 0 || h.Version != h.Known || h.Size == 0 || h.Log == 0 {
		t.Errorf("got %+v, want the newest version and two sizes", h)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := stateOf(t, path)
	if _, err := Inspect(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if after := stateOf(t, path); after != before {
		t.Errorf("the file was %s, and is %s", before, after)
	}
	s = openAt(t, path)
	if agents, err := s.Agents(t.Context()); err != nil || len(agents) != 3 {
		t.Errorf("got %d agents and %v after it", len(agents), err)
	}
}

// stateOf is a file's content and time.
func stateOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().String() + string(b[:100])
}

func TestInspectSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, fill func(path string)) string {
		path := filepath.Join(dir, name)
		fill(path)
		return path
	}
	text := write("text", func(path string) {
		if err := os.WriteFile(path, []byte("this is no database, whatever its name"), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	foreign := write("foreign", func(path string) { run(t, raw(t, path), "CREATE TABLE a (b)") })
	indexed := write("indexed", func(path string) {
		s := openAt(t, path)
		addAgents(t, s, 3)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		// An index that lacks what its table has; quick_check does not see it.
		db, err := sql.Open(sqlite.DriverName, path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		db.SetMaxOpenConns(1)
		run(t, db, `CREATE TABLE pair (a); CREATE INDEX pair_a ON pair (a) WHERE a > 1; INSERT INTO pair VALUES (1), (2)`)
		run(t, db, `PRAGMA writable_schema = ON`)
		run(t, db, `UPDATE sqlite_master SET sql = 'CREATE INDEX pair_a ON pair (a)' WHERE name = 'pair_a'`)
	})
	for path, want := range map[string]string{text: "not a database", foreign: "not one of parley's", indexed: "damaged"} {
		h, err := Inspect(t.Context(), path)
		if parley.ErrorCode(err) != parley.StorageUnavailable || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want one that says %q", path, h, err, want)
		}
	}
	if _, err := Inspect(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) && parley.ErrorCode(err) != parley.StorageUnavailable {
		t.Errorf("a missing file: got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a database was made")
	}
}

func TestInspectEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, path)
	addAgents(t, s, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Inspect(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}
