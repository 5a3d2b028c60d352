package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"
)

// tx is one transaction, which carries the changes of several callers. A change reads
// and writes in it directly, or adds rows for the end of the transaction, which writes
// those of all changes table by table.
type tx struct {
	db      *gorm.DB
	rows    gorm.ConnPool // the same connection without gorm
	SQL     *dialect
	session session
	Host    string // of this machine, "" for a file
	Now     time.Time
	wrote   bool   // the current change has written something
	current *write // the change that is being applied

	nextSeq   int64 // the next message's number, 0 while unknown
	nextEvent int64 // the next event's number, 0 if the database gives it
	lastEvent int64 // the last number that was given, 0 for none
	began     workspaceRow
	added     map[any]any // by table: a pointer to the rows that are written at the end
	after     []func()    // what follows the commit
}

// run applies the changes, and writes what they have added, table by table. A change
// that is refused before it has written anything does not fail the others.
func (t *tx) run(batch []*write, tables []Described) error {
	for _, w := range batch {
		if err := t.apply(w, w.change); err != nil {
			return err
		}
	}

	for _, k := range tables {
		if err := k.flush(t); err != nil {
			return err
		}
	}

	return nil
}

// apply runs one change. It returns the errors that fail the whole transaction.
func (t *tx) apply(w *write, change func(*tx) error) error {
	t.wrote, t.current = false, w
	w.err = change(t)
	if w.err != nil && (t.wrote || t.session.spoiled() || !refused(w.err)) {
		return w.err
	}
	return nil
}

// Exec runs a statement and returns how many rows it changed.
func (t *tx) Exec(sql string, args ...any) (int64, error) {
	res := t.db.Exec(sql, args...)
	t.wrote = t.wrote || res.RowsAffected > 0
	return res.RowsAffected, res.Error
}

// ExecRow runs a statement for one row, and returns how many rows it changed. It is for what is
// written often: the statement is kept, and gorm is not asked. In args, each has a type of the
// driver's.
func (t *tx) ExecRow(statement string, args ...any) (changed int64, err error) {
	res, err := t.ExecResult(statement, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) ExecResult(statement string, args ...any) (sql.Result, error) {
	t.wrote = true
	return t.rows.ExecContext(context.Background(), statement, args...)
}

// QueryRows reads what is read often, as ExecRow writes. scan is called for each row.
func (t *tx) QueryRows(scan func(*sql.Rows) error, statement string, args ...any) error {
	rows, err := t.rows.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}

// Query reads into dest, a struct, a scalar, or a slice of them.
func (t *tx) Query(dest any, sql string, args ...any) error {
	return t.db.Raw(sql, args...).Scan(dest).Error
}

// Then calls f when the transaction is committed, before the writing goroutine takes anything that other hosts
// write after it. So what is kept in memory changes in the order of commits. It may be nil.
func (t *tx) Then(f func()) {
	if f != nil {
		t.after = append(t.after, f)
	}
}

// NextNumber returns the next message's number. There is one writer, so it can count.
func (t *tx) NextNumber() (int64, error) {
	if t.nextSeq == 0 {
		scan := func(rows *sql.Rows) error { return rows.Scan(&t.nextSeq) }
		if err := t.QueryRows(scan, lastMessage); err != nil {
			return 0, err
		}
		t.nextSeq++
	}
	t.nextSeq++
	return t.nextSeq - 1, nil
}
