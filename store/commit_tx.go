package store

import (
	"time"

	"gorm.io/gorm"

	"parley"
)

// tx is what a change may do: read and write in the transaction, and leave what
// many changes have in common to its end, where one statement serves them all: a
// statement costs some fifty microseconds, a row of it a few.
type tx struct {
	db      *gorm.DB
	now     time.Time
	wrote   bool
	current *write // whose turn it is

	nextSeq    int64 // the next message's number, 0 before it is known
	messages   []newMessageRow
	files      []parley.File
	carried    []carriedRow
	deliveries []newDeliveryRow
	claims     []claimRow
	closes     []closeRow
	events     []eventRow
	logs       []logRow
	debts      []debtRow
	readers    map[string]bool // whose read_at was set
	given      map[string]bool // who got a message that was another's before
}

// run applies the changes and returns the last event's number, 0 for none. A
// change that refuses before it has written anything keeps its error to itself.
func (t *tx) run(batch []*write) (int64, error) {
	for _, w := range batch {
		if err := t.turn(w, w.apply); err != nil {
			return 0, err
		}
	}
	for _, flush := range []func() error{t.flushMessages, t.flushFiles, t.flushWords, t.flushDeliveries, t.flushDebts, t.flushClaims, t.flushCloses, t.flushLogs} {
		if err := flush(); err != nil {
			return 0, err
		}
	}
	return t.flushEvents()
}

// turn applies one change.
func (t *tx) turn(w *write, apply func(*tx) error) error {
	t.wrote, t.current = false, w
	w.err = apply(t)
	if w.err != nil && (t.wrote || !refused(w.err)) {
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

// query reads into dest, a struct, a scalar, or a slice of them.
func (t *tx) query(dest any, sql string, args ...any) error {
	return t.db.Raw(sql, args...).Scan(dest).Error
}

// returning is query for a statement that writes.
func (t *tx) returning(dest any, sql string, args ...any) error {
	t.wrote = true
	return t.query(dest, sql, args...)
}

func (t *tx) emit(e eventRow) {
	t.wrote = true
	e.At = nanos(t.now)
	t.events = append(t.events, e)
}

func (t *tx) note(l logRow) {
	t.wrote = true
	l.At = nanos(t.now)
	t.logs = append(t.logs, l)
}
