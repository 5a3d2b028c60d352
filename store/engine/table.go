package engine

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"strings"
	"sync"

	"gorm.io/gorm"
	"gorm.io/gorm/schema"
)

// Table describes a table, and how a transaction writes rows of it. What a change adds is written at the end of the
// transaction, with what the other changes have added.
type Table[Row any] struct {
	Name    string
	Columns Columns[Row] // those of a new row, in the order of its values
	Key     []string     // the columns by which rows are put in order, none if the rows are not copied

	Grows   bool   // rows are only removed for their age, so that a row of an older copy is good
	Counter string // a column whose numbers the database gives; "" for none
	Which   string // a condition on the rows that are copied to another database; "" for all

	// Number is set for the table of events. It gives a row its number, if the database does not.
	Number func(*Row, int64)
	// Refused returns what it means for the callers that the database has refused rows. It may be nil.
	Refused func(err error, rows []Row) error
	// Write writes what was added in another way than as new rows. It may be nil.
	Write func(*Tx, []Row) error
}

// Described is a table as the engine goes over it.
type Described interface {
	// Describe returns what is the same for the tables of all kinds of rows.
	Describe() Description
	flush(*Tx) error
}

// Description is what is the same for the tables of all kinds of rows.
type Description struct {
	Name    string
	Key     []string
	Grows   bool
	Counter string
	Which   string
}

// Describe returns the description of the table.
func (k *Table[Row]) Describe() Description {
	return Description{k.Name, k.Key, k.Grows, k.Counter, k.Which}
}

// Add adds rows to a transaction, which writes them at its end.
func (k *Table[Row]) Add(t *Tx, rows ...Row) {
	t.wrote = true
	list, ok := t.added[k].(*[]Row)
	if !ok {
		list = new([]Row)
		if t.added == nil {
			t.added = map[any]any{}
		}
		t.added[k] = list
	}
	*list = append(*list, rows...)
}

// Added returns the rows that were added to a transaction.
func (k *Table[Row]) Added(t *Tx) []Row {
	if list, ok := t.added[k].(*[]Row); ok {
		return *list
	}
	return nil
}

func (k *Table[Row]) flush(t *Tx) error {
	rows := k.Added(t)
	switch {
	case len(rows) == 0:
		return nil
	case k.Write != nil:
		return k.Write(t, rows)
	case k.Number != nil:
		return k.insertNumbered(t, rows)
	}
	return k.Insert(t, rows...)
}

// Insert adds rows to the table now.
func (k *Table[Row]) Insert(t *Tx, rows ...Row) error {
	err := Insert(t, k.Name, k.Columns, rows...)
	if err != nil && k.Refused != nil {
		return k.Refused(err, rows)
	}
	return err
}

// insertNumbered adds rows with their numbers, and notes the last of them.
func (k *Table[Row]) insertNumbered(t *Tx, rows []Row) error {
	if t.Next.Event > 0 {
		for i := range rows {
			t.Last = t.Next.Event
			k.Number(&rows[i], t.Next.Event)
			t.Next.Event++
		}
		return k.Insert(t, rows...)
	}

	columns := k.Columns[1:] // the first is the number
	into := columns.InsertInto(k.Name, 1)
	for i := range rows {
		res, err := t.ExecResult(into, columns.Values(&rows[i])...)
		if err != nil {
			return err
		}
		if t.Last, err = res.LastInsertId(); err != nil {
			return err
		}
	}

	return nil
}

// Update writes some of the columns of a row, where a condition holds, and returns how many rows it changed.
func (k *Table[Row]) Update(t *Tx, row *Row, which func(column string) bool, where string, args ...any) (int64, error) {
	var set []string
	var values []any
	for i := range k.Columns {
		if c := &k.Columns[i]; which(c.Name) {
			set, values = append(set, c.Name+` = ?`), append(values, c.Value(row))
		}
	}
	return t.Exec(`UPDATE `+k.Name+` SET `+strings.Join(set, `, `)+` WHERE `+where, append(values, args...)...)
}

// Columns are those that a statement writes, in the order of its values, each with its value in a row.
type Columns[Row any] []struct {
	Name  string
	Value func(*Row) any
}

// ColumnsOf returns those columns of a row that which selects, as gorm reads them. They cost more than functions that
// name a field: not for what is written for each message.
func ColumnsOf[Row any](which func(column string) bool) (c Columns[Row]) {
	row, err := schema.Parse(new(Row), new(sync.Map), schema.NamingStrategy{})
	if err != nil {
		panic(err) // any test finds it
	}
	for _, f := range row.Fields {
		if f.DBName != "" && which(f.DBName) {
			c = append(c, struct {
				Name  string
				Value func(*Row) any
			}{f.DBName, func(r *Row) any {
				value, _ := f.ValueOf(context.Background(), reflect.ValueOf(r).Elem())
				return value
			}})
		}
	}
	return c
}

// Names returns the columns as a list in SQL.
func (c Columns[Row]) Names() string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].Name
	}
	return strings.Join(names, ", ")
}

// InsertInto returns the statement that adds rows to a table.
func (c Columns[Row]) InsertInto(table string, rows int) string {
	row := `(` + strings.Repeat("?, ", len(c)-1) + `?)`
	return `INSERT INTO ` + table + ` (` + c.Names() + `) VALUES ` + row + strings.Repeat(`, `+row, rows-1)
}

// Values returns what the columns of a row hold.
func (c Columns[Row]) Values(row *Row) []any { return c.appendValues(make([]any, 0, len(c)), row) }

func (c Columns[Row]) appendValues(values []any, row *Row) []any {
	for i := range c {
		values = append(values, c[i].Value(row))
	}
	return values
}

// Insert adds rows to a table, as many in one statement as the database gains by. It halves that
// until the rows are enough for it, so that there are few different statements.
func Insert[Row any](t *Tx, table string, c Columns[Row], rows ...Row) error {
	into, n := "", t.SQL.rowsAtOnce
	for len(rows) > 0 {
		for ; n > len(rows); n /= 2 {
			into = ""
		}
		if into == "" {
			into = c.InsertInto(table, n)
		}

		values := make([]any, 0, n*len(c))
		for i := range rows[:n] {
			values = c.appendValues(values, &rows[i])
		}
		if _, err := t.ExecRow(into, values...); err != nil {
			return err
		}
		rows = rows[n:]
	}

	return nil
}

// ConnPool is a connection, or a pool of them.
type ConnPool = gorm.ConnPool

// Rows runs statements on a connection or a pool of them.
//
// There are two ways to run SQL. Query and Exec go through gorm, which fills structs and lets a ? stand for a list:
// take them for everything, but for what is done for each message or each delivery. That goes through QueryRows,
// ExecRow and the tables, which keep the statement and cost a third.
type Rows struct {
	orm  *gorm.DB
	pool ConnPool
}

// Over returns what runs statements on a connection or a pool of them.
func (d *Dialect) Over(pool ConnPool) (*Rows, error) {
	orm, err := gormOn(d.gorm(pool))
	return &Rows{orm, pool}, err
}

// With returns the same with a context, which ends a query that has not begun.
func (r *Rows) With(ctx context.Context) *Rows { return &Rows{r.orm.WithContext(ctx), r.pool} }

// Exec runs a statement and returns how many rows it changed.
func (r *Rows) Exec(sql string, args ...any) (int64, error) {
	res := r.orm.Exec(sql, args...)
	return res.RowsAffected, res.Error
}

// Query reads into dest, a struct, a scalar, or a slice of them.
func (r *Rows) Query(dest any, sql string, args ...any) error {
	return r.orm.Raw(sql, args...).Scan(dest).Error
}

// ExecResult runs a statement that is run often: it is kept, and gorm is not asked. In args, each has a type of the
// driver's.
func (r *Rows) ExecResult(statement string, args ...any) (sql.Result, error) {
	return r.pool.ExecContext(context.Background(), statement, args...)
}

// QueryRows reads what is read often, as ExecResult writes. scan is called for each row.
func (r *Rows) QueryRows(scan func(*sql.Rows) error, statement string, args ...any) error {
	rows, err := r.pool.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}
