package store

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/sqlite/*.sql migrations/postgres/*.sql
var embedded embed.FS

// schema lists all migrations of SQLite in their order. Most are files of SQL in
// migrations/sqlite. A step that SQL cannot do is written in Go.
//
// PostgreSQL has the steps from postgresBase on: the first makes what those before made, and each
// later one has a file of the same name in migrations/postgres.
var schema = []migration{
	{version: 1, file: "00001_initial.sql"},
	{version: 2, file: "00002_interruptible.sql"},
	{version: 3, file: "00003_operator.sql"},
	{version: 4, file: "00004_adopted.sql"},
	{version: 5, file: "00005_needs.sql"},
	{version: 6, file: "00006_contract.sql"},
	{version: 7, file: "00007_debts.sql"},
	{version: 8, file: "00008_threads.sql"},
	{version: 9, file: "00009_files.sql"},
	{version: 10, file: "migrate_words.go", up: addWords, down: dropWords},
	{version: 11, file: "00011_rights.sql"},
	{version: 12, file: "00012_agent_dir.sql"},
	{version: 13, file: "00013_conversation.sql"},
	{version: 14, file: "00014_responders.sql"},
	{version: 15, file: "migrate_calls.go", up: addCalls, down: dropCalls},
	{version: 16, file: "00016_removed_files.sql"},
	{version: 17, file: "00017_guidance.sql"},
	{version: 18, file: "00018_decisions.sql"},
	{version: 19, file: "migrate_codes.go", up: addCodes, down: dropCodes},
	{version: 20, file: "00020_event_codes.sql"},
	{version: 30, file: "00030_secrets.sql"},
	{version: 31, file: "00031_sessions.sql"},
	{version: 32, file: "00032_resume_after_limit.sql"},
	{version: 33, file: "00033_worktree.sql"},
	{version: 34, file: "00034_tokens.sql"},
	{version: 36, file: "00036_search.sql"},
	{version: 37, file: "00037_hosts.sql"},
	{version: 38, file: "00038_relays.sql"},
	{version: 39, file: "00039_file_chunks.sql"},
	{version: 40, file: "00040_state_indexes.sql"},
	{version: 45, file: "00045_told_of_dead.sql"},
}

// postgresBase is the version of SQLite's schema with which PostgreSQL's begins.
const postgresBase = 34

// migration is one step of the schema. A step in SQL has no functions; file is
// then a file of migrations/sqlite, and else the Go file of the functions.
type migration struct {
	version  int64
	file     string
	up, down func(context.Context, *sql.Tx) error
}

// newestVersion is the version of a database that this program makes.
func newestVersion() int64 { return schema[len(schema)-1].version }

// sqlMigrations returns the steps of a dialect that are written in SQL.
func sqlMigrations(d *dialect) (fs.FS, error) { return fs.Sub(embedded, "migrations/"+d.folder) }

// goMigrations returns the steps of a dialect that are written in Go.
func goMigrations(d *dialect) []*goose.Migration {
	var list []*goose.Migration
	for _, m := range schema {
		if m.up != nil && m.version > d.base {
			up, down := &goose.GoFunc{RunTx: m.up}, &goose.GoFunc{RunTx: m.down}
			list = append(list, goose.NewGoMigration(m.version, up, down))
		}
	}
	return list
}
