package store

import (
	"io/fs"
	"os"
	"parley/internal/must"
	"parley/store/engine"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
)

func TestMigrationsAreNumberedInOrder(t *testing.T) {
	last := int64(0)
	for _, m := range schema {
		if m.version <= last {
			t.Errorf("migration %s: got number %d after %d", m.file, m.version, last)
		}
		last = m.version

		if inGo := path.Ext(m.file) == ".go"; inGo != (m.up != nil) || inGo != (m.down != nil) {
			t.Errorf("migration %s: a file of SQL has no functions, one in Go has two", m.file)
		}

		if m.up != nil {
			if _, err := os.Stat(m.file); err != nil {
				t.Errorf("migration %d: %v", m.version, err)
			}
			continue
		}

		if got, err := goose.NumericComponent(m.file); err != nil || got != m.version {
			t.Errorf("migration %d: %s has number %d, %v", m.version, m.file, got, err)
		}
	}
}

func TestSchemaListsEveryMigrationFile(t *testing.T) {
	files := must.Have(sqlMigrations(&sqliteDialect))(t)
	got := must.Have(fs.Glob(files, "*"))(t)

	var want []string
	for _, m := range schema {
		if m.up == nil {
			want = append(want, m.file)
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files of SQL (-schema +folder):\n%s", diff)
	}
}

// Going down to the first version and up again gives the same tables and indexes.
func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	needsFile(t)
	s, path := openNew(t, 2)
	say(t, s, "hello", 0, 1)
	must.Do(t, s.Close())

	want := tablesOf(t, path)
	downTo(t, path, 1)
	must.Do(t, openAt(t, path).Close())
	if diff := cmp.Diff(want, tablesOf(t, path)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// downTo makes a closed database one of an earlier version.
func downTo(t *testing.T, path string, version int64) {
	t.Helper()
	pool := must.Have(engine.Connect(engine.DSN(path, time.Second, engine.WriterPragmas...), 1))(t)
	defer pool.Close()

	provider, err := (&database{connections: connections{writerPool: pool}, sql: &sqliteDialect}).migrator()
	must.Do(t, err)
	must.Have(provider.DownTo(t.Context(), version))(t)
}

// tablesOf returns all tables of a database with their columns, and all indexes.
func tablesOf(t *testing.T, path string) []string {
	t.Helper()
	rows, err := raw(t, path).Query(`SELECT m.type || ' ' || m.name || ' ' || coalesce(group_concat(c.name, ' '), '')
		FROM sqlite_master m LEFT JOIN pragma_table_info(m.name) c GROUP BY m.type, m.name`)
	must.Do(t, err)
	defer rows.Close()

	var list []string
	for rows.Next() {
		var line string
		must.Do(t, rows.Scan(&line))
		words := strings.Fields(line)
		slices.Sort(words[2:]) // a column that was added again stands elsewhere
		list = append(list, strings.Join(words, " "))
	}

	must.Do(t, rows.Err())

	return list
}
