package engine

import (
	"strconv"

	"github.com/glebarez/sqlite"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	gormschema "gorm.io/gorm/schema"
)

// Dialect is how SQL is written for one kind of database. All SQL is the same for both kinds, but
// for what is here, and for the index of words of store.
type Dialect struct {
	goose  goose.Dialect
	Folder string // of its migrations

	// Embedded says that the database is parley's own file. A server's is checked, copied and shrunk
	// by those who run the server.
	Embedded bool

	// gorm returns what tells gorm how to write it.
	gorm func(ConnPool) gorm.Dialector
	// Bound returns a statement with its parameters, each of them a ?, as the driver takes them.
	Bound func(statement string) string
	// Each selects from the elements of a parameter, a JSON list of texts. Their column is value.
	Each string
	// Joined is the function that joins the texts of a group, with a separator.
	Joined string
	// Place is the function that tells where a text has another, 0 for nowhere.
	Place string
	// IndexedBy follows a table that is read by this index and no other.
	IndexedBy func(index string) string

	// rowsAtOnce is how many rows one statement adds at most, a power of two. A prepared statement
	// of SQLite takes no longer for each row than one that adds several; PostgreSQL has a way to go,
	// and takes 65,535 parameters.
	rowsAtOnce int

	// LastEvent selects the highest number that an event ever had, and goOn makes the numbers go on
	// after those of rows that were copied and after that one, LAST.
	LastEvent string
	goOn      []string
	// nextOf lets the numbers that the database gives to a column go on after its rows; nil if they do by themselves.
	nextOf func(table, column string) string
}

// SQLite is for a file.
var SQLite = Dialect{
	goose:      goose.DialectSQLite3,
	Folder:     "sqlite",
	Embedded:   true,
	gorm:       sqliteGorm,
	Bound:      func(statement string) string { return statement },
	Each:       `json_each(?)`,
	Joined:     `group_concat`,
	Place:      `instr`,
	IndexedBy:  func(index string) string { return ` INDEXED BY ` + index },
	rowsAtOnce: 1,
	LastEvent:  `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'`,
	goOn: []string{
		`INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0
			WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`,
		`UPDATE sqlite_sequence SET seq = LAST WHERE name = 'events'`,
	},
}

// Postgres is for a server. PostgreSQL plans by statistics, and takes no hint.
var Postgres = Dialect{
	goose:      goose.DialectPostgres,
	Folder:     "postgres",
	gorm:       func(pool ConnPool) gorm.Dialector { return postgresGorm{Pool: pool} },
	Bound:      Numbered,
	Each:       `json_array_elements_text(CAST(? AS json)) AS list (value)`,
	Joined:     `string_agg`,
	Place:      `strpos`,
	IndexedBy:  func(string) string { return `` },
	rowsAtOnce: 256,
	LastEvent:  `SELECT coalesce(max(event_seq), 0) FROM workspace`,
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

// Continues returns the statements with which the numbers go on after those of rows that were copied.
func (d *Dialect) Continues(tables []Described) []string {
	list := d.goOn
	for _, k := range tables {
		if k := k.Describe(); k.Counter != "" && d.nextOf != nil {
			list = append(list[:len(list):len(list)], d.nextOf(k.Name, k.Counter))
		}
	}
	return list
}

// Greatest returns an expression for the greater of two numbers. SQLite and PostgreSQL have
// different functions for it.
func Greatest(a, b string) string {
	return `CASE WHEN ` + a + ` > ` + b + ` THEN ` + a + ` ELSE ` + b + ` END`
}

// gormOn puts gorm on a connection or a pool of them. It logs nothing:
// errors are returned, and nothing else is worth a line.
func gormOn(dialector gorm.Dialector) (*gorm.DB, error) {
	return gorm.Open(dialector, &gorm.Config{
		Logger: logger.Discard, SkipDefaultTransaction: true, DisableAutomaticPing: true,
	})
}

// sqliteGorm tells gorm how SQLite writes SQL.
func sqliteGorm(pool gorm.ConnPool) gorm.Dialector { return sqlite.Dialector{Conn: pool} }

// postgresGorm tells gorm how PostgreSQL writes SQL, as far as this package lets gorm write any. The
// schema is made by migrations, and never by gorm.
type postgresGorm struct{ Pool gorm.ConnPool }

func (postgresGorm) Name() string { return "postgres" }

func (d postgresGorm) Initialize(db *gorm.DB) error {
	db.ConnPool = d.Pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{LastInsertIDReversed: true})
	return nil
}

func (postgresGorm) BindVarTo(w clause.Writer, s *gorm.Statement, _ any) {
	_, _ = w.WriteString("$" + strconv.Itoa(len(s.Vars)))
}

// QuoteTo writes the name of a table or a column. Those of this package need no escapes.
func (postgresGorm) QuoteTo(w clause.Writer, name string) { _, _ = w.WriteString(`"` + name + `"`) }

func (postgresGorm) Explain(sql string, args ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, args...)
}

func (postgresGorm) DefaultValueOf(*gormschema.Field) clause.Expression {
	return clause.Expr{SQL: "NULL"}
}

func (postgresGorm) DataTypeOf(f *gormschema.Field) string { return string(f.DataType) }

func (postgresGorm) Migrator(*gorm.DB) gorm.Migrator { return nil }
