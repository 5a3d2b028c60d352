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

// GormOn puts gorm on a connection or a pool of them. It logs nothing:
// errors are returned, and nothing else is worth a line.
func GormOn(dialector gorm.Dialector) (*gorm.DB, error) {
	return gorm.Open(dialector, &gorm.Config{
		Logger: logger.Discard, SkipDefaultTransaction: true, DisableAutomaticPing: true,
	})
}

// SQLiteGorm tells gorm how SQLite writes SQL.
func SQLiteGorm(pool gorm.ConnPool) gorm.Dialector { return sqlite.Dialector{Conn: pool} }

// PostgresGorm tells gorm how PostgreSQL writes SQL, as far as this package lets gorm write any. The
// schema is made by migrations, and never by gorm.
type PostgresGorm struct{ Pool gorm.ConnPool }

func (PostgresGorm) Name() string { return "postgres" }

func (d PostgresGorm) Initialize(db *gorm.DB) error {
	db.ConnPool = d.Pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{LastInsertIDReversed: true})
	return nil
}

func (PostgresGorm) BindVarTo(w clause.Writer, s *gorm.Statement, _ any) {
	_, _ = w.WriteString("$" + strconv.Itoa(len(s.Vars)))
}

// QuoteTo writes the name of a table or a column. Those of this package need no escapes.
func (PostgresGorm) QuoteTo(w clause.Writer, name string) { _, _ = w.WriteString(`"` + name + `"`) }

func (PostgresGorm) Explain(sql string, args ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, args...)
}

func (PostgresGorm) DefaultValueOf(*gormschema.Field) clause.Expression {
	return clause.Expr{SQL: "NULL"}
}

func (PostgresGorm) DataTypeOf(f *gormschema.Field) string { return string(f.DataType) }

func (PostgresGorm) Migrator(*gorm.DB) gorm.Migrator { return nil }
