package engine

import (
	"database/sql"
	"time"
)

// Tx is one transaction, which carries the changes of several callers. A change reads
// and writes in it directly, or adds rows for the end of the transaction, which writes
// those of all changes table by table.
type Tx struct {
	*Rows
	TxOptions

	Next Numbers
	Last int64 // the last number of an event that was given, 0 for none

	wrote   bool        // the current change has written something
	current *Write      // the change that is being applied
	added   map[any]any // by table: a pointer to the rows that are written at the end
	after   []func()    // what follows the commit
}

// TxOptions say how a transaction works.
type TxOptions struct {
	SQL  *Dialect
	Host string // of this machine, "" for a file
	Now  time.Time

	// Spoiled reports whether a statement has failed so that the transaction can only be given up.
	Spoiled func() bool
	// Answers reports whether an error is an answer to the caller of a change, and not a failure of the database.
	Answers func(error) bool
}

// Numbers are the next ones: of the rows that are numbered in the order of acceptance, 0 while it is unknown, and of
// the events, 0 if the database gives it.
type Numbers struct{ Row, Event int64 }

// NewTx returns a transaction over the connection of the writing goroutine.
func NewTx(rows *Rows, o TxOptions) *Tx { return &Tx{Rows: rows, TxOptions: o} }

// Run applies the changes, and writes what they have added, table by table. A change
// that is refused before it has written anything does not fail the others.
func (t *Tx) Run(batch []*Write, tables []Described) error {
	for _, w := range batch {
		if err := t.Apply(w, w.change); err != nil {
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

// Apply makes one change for a caller. It returns the errors that fail the whole transaction.
func (t *Tx) Apply(w *Write, change func(*Tx) error) error {
	t.wrote, t.current = false, w
	w.err = change(t)
	if w.err != nil && (t.wrote || t.Spoiled() || !t.Answers(w.err)) {
		return w.err
	}
	return nil
}

// Current returns the write whose change is being applied.
func (t *Tx) Current() *Write { return t.current }

// Wrote notes that the current change has written something in another way.
func (t *Tx) Wrote() { t.wrote = true }

// Exec runs a statement and returns how many rows it changed.
func (t *Tx) Exec(sql string, args ...any) (int64, error) {
	n, err := t.Rows.Exec(sql, args...)
	t.wrote = t.wrote || n > 0
	return n, err
}

// ExecRow runs a statement for one row, and returns how many rows it changed. It is for what is
// written often: see ExecResult.
func (t *Tx) ExecRow(statement string, args ...any) (changed int64, err error) {
	res, err := t.ExecResult(statement, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ExecResult is that of Rows.
func (t *Tx) ExecResult(statement string, args ...any) (sql.Result, error) {
	t.wrote = true
	return t.Rows.ExecResult(statement, args...)
}

// Then calls f when the transaction is committed, before the writing goroutine takes anything that other hosts
// write after it. So what is kept in memory changes in the order of commits. It may be nil.
func (t *Tx) Then(f func()) {
	if f != nil {
		t.after = append(t.after, f)
	}
}

// Committed calls what follows the commit.
func (t *Tx) Committed() {
	for _, f := range t.after {
		f()
	}
}

// NextNumber returns the number of the next row of a table, the one that is numbered in the order of acceptance. There
// is one writer, so it can count.
func (t *Tx) NextNumber(table string) (int64, error) {
	if t.Next.Row == 0 {
		scan := func(rows *sql.Rows) error { return rows.Scan(&t.Next.Row) }
		if err := t.QueryRows(scan, LastNumber(table)); err != nil {
			return 0, err
		}
		t.Next.Row++
	}
	t.Next.Row++
	return t.Next.Row - 1, nil
}

// LastNumber selects the highest number that a row of a table ever had in a file.
func LastNumber(table string) string {
	return `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '` + table + `'`
}
