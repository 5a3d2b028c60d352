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

	"parley"
	"parley/internal/must"
)

func TestInspectReadsWhileOthersWriteAndChangesNothing(t *testing.T) {
	needsFile(t)
	path := filepath.Join(t.TempDir(), "parley ?%#.db")
	s := openAt(t, path)
	addAgents(t, s, 3)

	h := must.Have(Inspect(t.Context(), Options{Path: path}))(t)
	if h.Version == 0 || h.Version != h.Known || h.Size == 0 || h.Log == 0 {
		t.Errorf("got %+v, want the newest version and two sizes", h)
	}

	// As a killed daemon leaves it: the log is still next to the file.
	left := filepath.Join(t.TempDir(), "left.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(left+suffix, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}

	if h, err := Inspect(t.Context(), Options{Path: left}); err != nil || h.Log == 0 {
		t.Fatalf("got %+v, %v", h, err)
	}

	for _, suffix := range []string{"", "-wal"} {
		before, _ := os.ReadFile(path + suffix)
		if after, err := os.ReadFile(left + suffix); err != nil || string(after) != string(before) {
			t.Errorf("%s has %d bytes now, %v, and had %d", left+suffix, len(after), err, len(before))
		}
	}

	if agents, err := openAt(t, left).Agents.List(t.Context()); err != nil || len(agents) != 3 {
		t.Errorf("got %d agents and %v after it", len(agents), err)
	}
}

func TestInspectSaysWhatIsWrong(t *testing.T) {
	needsFile(t)
	dir := t.TempDir()
	write := func(name string, fill func(path string)) string {
		path := filepath.Join(dir, name)
		fill(path)
		return path
	}

	text := write("text", func(path string) {
		must.Do(t, os.WriteFile(path, []byte("this is no database, whatever its name"), 0o600))
	})

	foreign := write("foreign", func(path string) { run(t, raw(t, path), "CREATE TABLE a (b)") })
	indexed := write("indexed", func(path string) {
		s := openAt(t, path)
		addAgents(t, s, 3)
		must.Do(t, s.Close())

		// An index with other values than its table; quick_check does not see it.
		db := must.Have(sql.Open("sqlite", path))(t)
		defer db.Close()

		db.SetMaxOpenConns(1)
		run(t, db, `CREATE TABLE pair (a, b); CREATE INDEX pair_a ON pair (a); INSERT INTO pair VALUES (1, 2)`)
		run(t, db, `PRAGMA writable_schema = ON`)
		run(t, db, `UPDATE sqlite_master SET sql = 'CREATE INDEX pair_a ON pair (b)' WHERE name = 'pair_a'`)
	})

	for path, want := range map[string]string{text: "not a database", foreign: "but not parley's",
		indexed: "damaged"} {
		h, err := Inspect(t.Context(), Options{Path: path})
		if parley.ErrorCode(err) != parley.StorageUnavailable || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want one that says %q", path, h, err, want)
		}
	}

	if _, err := Inspect(t.Context(), Options{Path: filepath.Join(dir, "none")}); !errors.Is(err, fs.ErrNotExist) &&
		parley.ErrorCode(err) != parley.StorageUnavailable {
		t.Errorf("a missing file: got %v", err)
	}

	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a database was made")
	}
}

func TestInspectEndsWithItsContext(t *testing.T) {
	needsFile(t)
	_, path := openNew(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Inspect(ctx, Options{Path: path}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it was cancelled", err)
	}
}
