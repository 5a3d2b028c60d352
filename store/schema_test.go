package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

// A new database has these tables, columns, indexes and conditions; what a step adds is added to the lists.
func TestNewSchemaIsThatOfTheSteps(t *testing.T) {
	s, path := openNew(t, 0)
	must.Do(t, s.Close())

	name, describe := "schema_sqlite.txt", describeSQLite
	if onPostgres {
		name, describe = "schema_postgres.txt", describePostgres
	}
	if diff := cmp.Diff(golden(t, name), describe(t, raw(t, path))); diff != "" {
		t.Errorf("(-steps +new):\n%s", diff)
	}
}

// golden returns the lines of a file in testdata.
func golden(t *testing.T, name string) []string {
	t.Helper()
	text := must.Have(os.ReadFile(filepath.Join("testdata", name)))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// describeSQLite returns what a file has: each column in its order, keys, references, indexes and conditions.
func describeSQLite(t *testing.T, db *sql.DB) []string {
	t.Helper()
	const ours = `m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'message_words_%' AND m.name <> 'goose_db_version'`
	list := ordered(t, db, `
		SELECT 'column ' || m.name || ' ' || c.name || ' ' || c.type || ' null:' || (1 - c."notnull")
			|| ' default:' || coalesce(c.dflt_value, '-') || ' key:' || c.pk || ' hidden:' || c.hidden
		FROM sqlite_master m, pragma_table_xinfo(m.name) c WHERE m.type = 'table' AND `+ours+` ORDER BY m.name, c.cid`)
	list = append(list, ordered(t, db, `
		SELECT 'table ' || m.name || ' without rowid:' || l.wr || ' strict:' || l.strict
			|| ' counts:' || (m.sql LIKE '%AUTOINCREMENT%')
		FROM sqlite_master m, pragma_table_list(m.name) l WHERE m.type = 'table' AND `+ours+` ORDER BY m.name`)...)
	list = append(list, ordered(t, db, `
		SELECT 'reference ' || m.name || '.' || f."from" || ' ' || f."table" || '.' || f."to" || ' ' || f.on_update || ' '
			|| f.on_delete
		FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' AND `+ours+`
		ORDER BY m.name, f.id DESC, f.seq`)...)
	list = append(list, ordered(t, db, `
		SELECT 'index ' || m.name || ' ' || i.name || ' unique:' || i."unique" || ' ' || i.origin || ' partial:' || i.partial
			|| ' ' || c.seqno || ' ' || coalesce(c.name, '-') || ' desc:' || c."desc" || ' ' || c.coll || ' key:' || c.key
		FROM sqlite_master m, pragma_index_list(m.name) i, pragma_index_xinfo(i.name) c
		WHERE m.type = 'table' AND `+ours+` ORDER BY m.name, i.name, c.seqno`)...)
	list = append(list, withoutSpace(ordered(t, db, `
		SELECT m.type || ' ' || m.sql FROM sqlite_master m WHERE m.sql IS NOT NULL AND `+ours+`
		AND (m.type <> 'table' OR m.sql LIKE 'CREATE VIRTUAL%') ORDER BY m.name`))...)

	check := regexp.MustCompile(`(\w+)[^\n]*\bCHECK (\([^)]*\))`)
	for _, text := range ordered(t, db, `
		SELECT m.name || ': ' || m.sql FROM sqlite_master m WHERE m.type = 'table' AND `+ours+` ORDER BY m.name`) {
		table, columns, _ := strings.Cut(text, ":")
		for _, m := range check.FindAllStringSubmatch(columns, -1) {
			list = append(list, "check "+table+"."+m[1]+" "+m[2])
		}
	}

	return list
}

// describePostgres does that for a database of a server.
func describePostgres(t *testing.T, db *sql.DB) []string {
	t.Helper()
	const ours = `n.nspname = 'public' AND r.relname NOT LIKE 'goose%'`
	list := ordered(t, db, `
		SELECT 'column ' || r.relname || ' ' || c.attname
			|| ' ' || format_type(c.atttypid, c.atttypmod) || ' null:' || CAST(NOT c.attnotnull AS text) || ' identity:' || CAST(c.attidentity AS text)
			|| ' collation:' || coalesce((SELECT collname FROM pg_collation o WHERE o.oid = c.attcollation), '-')
			|| ' default:' || coalesce((SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef d
				WHERE d.adrelid = r.oid AND d.adnum = c.attnum), '-')
		FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace JOIN pg_attribute c ON c.attrelid = r.oid
		WHERE `+ours+` AND r.relkind = 'r' AND c.attnum > 0 AND NOT c.attisdropped ORDER BY r.relname COLLATE "C", c.attnum`)
	list = append(list, ordered(t, db, `
		SELECT 'table ' || r.relname || ' ' || CAST(r.relpersistence AS text) || ' ' || coalesce(array_to_string(r.reloptions, ' '), '-')
		FROM pg_class r JOIN pg_namespace n ON n.oid = r.relnamespace WHERE `+ours+` AND r.relkind = 'r'
		ORDER BY r.relname COLLATE "C"`)...)
	list = append(list, ordered(t, db, `
		SELECT 'constraint ' || r.relname || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
		FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid JOIN pg_namespace n ON n.oid = r.relnamespace
		WHERE `+ours+` ORDER BY r.relname COLLATE "C", c.conname COLLATE "C"`)...)
	return append(list, ordered(t, db, `
		SELECT 'index ' || pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class r ON r.oid = i.indrelid
		JOIN pg_namespace n ON n.oid = r.relnamespace WHERE `+ours+` ORDER BY pg_get_indexdef(i.indexrelid) COLLATE "C"`)...)
}

// ordered returns the first column of what a query finds.
func ordered(t *testing.T, db *sql.DB, query string) (list []string) {
	t.Helper()
	rows := must.Have(db.Query(query))(t)
	defer rows.Close()
	for rows.Next() {
		var text string
		must.Do(t, rows.Scan(&text))
		list = append(list, text)
	}
	must.Do(t, rows.Err())
	return list
}

// withoutSpace returns statements without comments, and with single spaces.
func withoutSpace(list []string) []string {
	comment := regexp.MustCompile(`--[^\n]*`)
	for i, text := range list {
		list[i] = strings.Join(strings.Fields(comment.ReplaceAllString(text, "")), " ")
	}
	return list
}
