package store

import (
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	gormschema "gorm.io/gorm/schema"
)

// dialector tells gorm how SQL is written, as far as this package lets gorm write any. The schema is
// made by migrations, and never by gorm.
type dialector struct {
	pool gorm.ConnPool
	sql  *dialect
}

func (d dialector) Name() string { return string(d.sql.goose) }

func (d dialector) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{LastInsertIDReversed: true})
	return nil
}

func (d dialector) BindVarTo(w clause.Writer, s *gorm.Statement, _ any) {
	_, _ = w.WriteString(d.sql.parameter(len(s.Vars)))
}

// QuoteTo writes the name of a table or a column. Those of this package need no escapes.
func (d dialector) QuoteTo(w clause.Writer, name string) {
	_, _ = w.WriteString(d.sql.quote + name + d.sql.quote)
}

func (dialector) Explain(sql string, args ...any) string {
	return logger.ExplainSQL(sql, nil, `"`, args...)
}

func (dialector) DefaultValueOf(*gormschema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

func (dialector) DataTypeOf(f *gormschema.Field) string { return string(f.DataType) }

func (dialector) Migrator(*gorm.DB) gorm.Migrator { return nil }
