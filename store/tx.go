package store

import (
	"time"

	"gorm.io/gorm"
)

// tx is what a change may do: read and write in the transaction, and add to the
// events and the agent log, which are written together at its end.
type tx struct {
	db     *gorm.DB
	now    time.Time
	wrote  bool
	events []eventRow
	logs   []logRow
}

// run applies the changes and returns the last event's number, 0 for none. A
// change that refuses before it has written anything keeps its error to itself.
func (t *tx) run(batch []*write) (int64, error) {
	for _, w := range batch {
		t.wrote = false
		w.err = w.apply(t)
		if w.err != nil && (t.wrote || !refused(w.err)) {
			return 0, w.err
		}
	}
	if err := insert(t, "agent_log", logColumns, t.logs, (*logRow).values); err != nil {
		return 0, err
	}
	return t.flushEvents()
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
