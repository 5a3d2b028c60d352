package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"gorm.io/gorm"

	"parley"
)

// tx is one transaction, which carries the changes of several callers. A change reads
// and writes in it directly, or adds rows for the end of the transaction, which writes
// those of all changes table by table.
type tx struct {
	db      *gorm.DB
	rows    gorm.ConnPool // the same connection without gorm
	sql     *dialect
	session session
	own     *own
	now     time.Time
	wrote   bool   // the current change has written something
	current *write // the change that is being applied

	nextSeq   int64 // the next message's number, 0 while unknown
	nextEvent int64 // the next event's number, 0 if the database gives it
	began     workspaceRow
	additions
	readers map[string]bool // recipients that have read something
	older   map[string]bool // recipients that got an older message
	after   []func()        // what follows the commit
}

// additions are the rows that are written at the end of a transaction.
type additions struct {
	messages   []newMessageRow
	files      []parley.File
	carried    []carriedRow
	deliveries []newDeliveryRow
	claims     []claimRow
	closes     []closeRow
	events     []eventRow
	logs       []logRow
	debts      []debtRow
}

// run applies the changes and returns the last event's number, 0 for none. A change
// that is refused before it has written anything does not fail the others.
func (t *tx) run(batch []*write) (int64, error) {
	for _, w := range batch {
		if err := t.apply(w, w.change); err != nil {
			return 0, err
		}
	}

	for _, flush := range []func() error{
		t.flushMessages, t.flushFiles, t.flushWords, t.flushDeliveries, t.flushDebts,
		t.flushClaims, t.flushCloses, t.flushLogs,
	} {
		if err := flush(); err != nil {
			return 0, err
		}
	}

	return t.flushEvents()
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

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(sql string, args ...any) (int64, error) {
	res := t.db.Exec(sql, args...)
	t.wrote = t.wrote || res.RowsAffected > 0
	return res.RowsAffected, res.Error
}

// execRow runs a statement for one row, and returns how many rows it changed. It is for what is
// written often: the statement is kept, and gorm is not asked. In args, each has a type of the
// driver's.
func (t *tx) execRow(statement string, args ...any) (changed int64, err error) {
	res, err := t.execResult(statement, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t *tx) execResult(statement string, args ...any) (sql.Result, error) {
	t.wrote = true
	return t.rows.ExecContext(context.Background(), statement, args...)
}

// queryRows reads what is read often, as execRow writes. scan is called for each row.
func (t *tx) queryRows(scan func(*sql.Rows) error, statement string, args ...any) error {
	rows, err := t.rows.QueryContext(context.Background(), statement, args...)
	if err != nil {
		return err
	}
	for rows.Next() && err == nil {
		err = scan(rows)
	}
	return errors.Join(err, rows.Err(), rows.Close())
}

// query reads into dest, a struct, a scalar, or a slice of them.
func (t *tx) query(dest any, sql string, args ...any) error {
	return t.db.Raw(sql, args...).Scan(dest).Error
}

// then calls f when the transaction is committed, before the writing goroutine takes anything that other hosts
// write after it. So what is kept in memory changes in the order of commits. It may be nil.
func (t *tx) then(f func()) {
	if f != nil {
		t.after = append(t.after, f)
	}
}

// emit adds an event.
func (t *tx) emit(e eventRow) {
	t.wrote = true
	e.At = nanos(t.now)
	t.events = append(t.events, e)
}
