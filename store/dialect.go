package store

import (
	"parley/store/engine"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
)

// dialect is how SQL is written for one kind of database. All of the package's SQL is the same for
// both kinds, but for what is here, and for the index of words: see search_index.go.
type dialect struct {
	goose  goose.Dialect
	folder string // of its migrations

	// embedded says that the database is parley's own file. A server's is checked, copied and shrunk
	// by those who run the server.
	embedded bool

	// gorm returns what tells gorm how to write it.
	gorm func(gorm.ConnPool) gorm.Dialector
	// bound returns a statement with its parameters, each of them a ?, as the driver takes them.
	bound func(statement string) string
	// each selects from the elements of a parameter, a JSON list of texts. Their column is value.
	each string
	// joined is the function that joins the texts of a group, with a separator.
	joined string
	// place is the function that tells where a text has another, 0 for nowhere.
	place string
	// indexedBy follows a table that is read by this index and no other.
	indexedBy func(index string) string

	// rowsAtOnce is how many rows one statement adds at most, a power of two. A prepared statement
	// of SQLite takes no longer for each row than one that adds several; PostgreSQL has a way to go,
	// and takes 65,535 parameters.
	rowsAtOnce int

	// lastEvent selects the highest number that an event ever had, and goOn makes the numbers go on
	// after those of rows that were copied and after that one, LAST.
	lastEvent string
	goOn      []string
	// nextOf lets the numbers that the database gives to a column go on after its rows; nil if they do by themselves.
	nextOf func(table, column string) string
}

var sqliteDialect = dialect{
	goose:      goose.DialectSQLite3,
	folder:     "sqlite",
	embedded:   true,
	gorm:       engine.SQLiteGorm,
	bound:      func(statement string) string { return statement },
	each:       `json_each(?)`,
	joined:     `group_concat`,
	place:      `instr`,
	indexedBy:  func(index string) string { return ` INDEXED BY ` + index },
	rowsAtOnce: 1,
	lastEvent:  `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'`,
	goOn: []string{
		`INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0
			WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`,
		`UPDATE sqlite_sequence SET seq = LAST WHERE name = 'events'`,
	},
}

// PostgreSQL plans by statistics, and takes no hint.
var postgresDialect = dialect{
	goose:      goose.DialectPostgres,
	folder:     "postgres",
	gorm:       func(pool gorm.ConnPool) gorm.Dialector { return engine.PostgresGorm{Pool: pool} },
	bound:      engine.Numbered,
	each:       `json_array_elements_text(CAST(? AS json)) AS list (value)`,
	joined:     `string_agg`,
	place:      `strpos`,
	indexedBy:  func(string) string { return `` },
	rowsAtOnce: 256,
	lastEvent:  `SELECT coalesce(max(event_seq), 0) FROM workspace`,
	goOn: []string{
		`UPDATE workspace SET event_seq = LAST, message_seq = (SELECT coalesce(max(seq), 0) FROM messages)`,
	},
	nextOf: nextOf,
}

// nextOf lets the numbers that PostgreSQL gives to a column go on after its rows.
func nextOf(table, column string) string {
	return `SELECT setval(pg_get_serial_sequence('` + table + `', '` + column + `'),
		(SELECT coalesce(max(` + column + `), 0) + 1 FROM ` + table + `), false)`
}

// continues returns the statements with which the numbers go on after those of rows that were copied.
func (d *dialect) continues() []string {
	list := d.goOn
	for _, k := range tables {
		if k := k.describe(); k.Counter != "" && d.nextOf != nil {
			list = append(list[:len(list):len(list)], d.nextOf(k.Name, k.Counter))
		}
	}
	return list
}

// greatest returns an expression for the greater of two numbers. SQLite and PostgreSQL have
// different functions for it.
func greatest(a, b string) string {
	return `CASE WHEN ` + a + ` > ` + b + ` THEN ` + a + ` ELSE ` + b + ` END`
}
