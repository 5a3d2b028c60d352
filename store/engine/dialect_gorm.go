package engine

import (
	"strconv"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	gormschema "gorm.io/gorm/schema"
)

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
