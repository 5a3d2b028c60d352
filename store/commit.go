package store

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"parley"
)

// maxBatch is how many waiting writes share one commit. A commit waits for the
// disk once however many it carries; beyond 64 the gain is gone while the first
// of them waits longer.
const maxBatch = 64

// When the last commit carried a crowd and there are only few for the next, it
// lingers, since a commit costs as much as ten writes. A write that comes alone
// never waits, and neither do many.
const (
	crowd      = 4
	few        = 16
	lingerTime = 2 * time.Millisecond
)

// write is one caller's change. apply may run more than once, each time in a
// transaction in which nothing of it has happened yet.
type write struct {
	apply func(*tx) error
	begun atomic.Bool // by the writer; or given up, by the caller: whoever sets it
	done  chan struct{}
	err   error
}

// write runs apply in a transaction, together with other callers' changes, and
// returns when it is durable. apply's own error is returned as it is, and only
// its own change is undone. When ctx ends before the change has begun nothing
// happens; one that has begun is finished.
func (db *database) write(ctx context.Context, doing string, apply func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	w := &write{apply: apply, done: make(chan struct{})}
	if !db.queue.push(w) {
		return errClosed()
	}

	select {
	case <-w.done:
	case <-ctx.Done():
		if w.begun.CompareAndSwap(false, true) {
			return ctx.Err()
		}
		<-w.done
	}

	if w.err == nil || refused(w.err) {
		return w.err
	}

	return db.fail(doing, w.err)
}

// writeLoop is the writing goroutine: it runs from Open until Close has let it
// finish what is queued.
func (db *database) writeLoop() {
	defer close(db.finished)

	last := 0 // how many the last commit carried
	for {
		batch, open := db.queue.take(maxBatch)
		if len(batch) > 0 {
			if last >= crowd && len(batch) < few && open {
				batch = append(batch, db.linger(maxBatch-len(batch))...)
			}

			last = len(batch)
			db.commit(batch)
			for _, w := range batch {
				close(w.done)
			}

			continue
		}

		if !open {
			return
		}

		<-db.queue.wake
	}
}

// linger waits a moment for more writes to share a commit.
func (db *database) linger(n int) []*write {
	<-time.After(lingerTime)
	more, _ := db.queue.take(n)
	return more
}

// commit makes the changes durable in one transaction. When one of them fails
// half-way each gets a transaction of its own, so that it fails alone; when the
// database does, they all fail.
func (db *database) commit(batch []*write) {
	err := db.attempt(batch)
	switch {
	case err == nil:
	case len(batch) == 1, faultOf(err) != faultNone:
		for _, w := range batch {
			w.err = err
		}
	default:
		for _, w := range batch {
			db.commit([]*write{w})
		}
	}
}

// attempt runs one transaction. The statements that frame it are sent here and
// not by database/sql, which would forget the transaction after a failed COMMIT
// while the connection is still in it.
func (db *database) attempt(batch []*write) error {
	t := &tx{db: db.writer, now: db.now()}
	if err := t.db.Exec("BEGIN IMMEDIATE").Error; err != nil {
		return err
	}

	last, err := int64(0), error(nil)
	if !db.marked {
		err = markOpen(t)
	}
	if err == nil {
		last, err = t.run(batch)
	}
	if err == nil {
		err = t.db.Exec("COMMIT").Error
	}

	if err != nil {
		// Some failures have rolled back by themselves; then this one says so.
		_ = t.db.Exec("ROLLBACK").Error
		return err
	}

	db.marked = true
	db.inboxes.changed(t.readers, t.given)
	db.events.publish(last)

	return nil
}

// refused reports an error that is an answer to the caller, and not a failure
// of the database.
func refused(err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	_, ok := errors.AsType[*parley.Error](err)
	return ok
}
