package store

import (
	"context"
	"errors"
	"parley"
	"parley/store/engine"
	"sync/atomic"
	"time"
)

// maxBatch is how many waiting writes share one commit. A commit waits for the
// disk once however many it carries; beyond 64 the gain is gone while the first
// of them waits longer.
const maxBatch = 64

// When the last commit carried a crowd, and some but only few writes wait for the next,
// it lingers for more, whatever they are about. A write that comes alone does not, and
// neither do many. See commit_company.go for those that belong together.
const (
	crowd      = 4
	few        = 16
	lingerTime = 2 * time.Millisecond
)

// write is one caller's change. It may run more than once, each time in a transaction
// in which nothing of it has happened yet.
type write struct {
	change func(*tx) error
	round  round       // it changes one delivery in this round; zero: it is about something else
	begun  atomic.Bool // set once: by the writer that begins it, or by the caller that gives it up
	done   chan struct{}
	err    error
}

// write runs a change in a transaction, together with those of other callers, and
// returns when it is durable. The change's own error is returned as it is, and undoes
// this change alone. When ctx ends before the change has begun, nothing happens; once
// begun, it is finished.
func (db *database) write(ctx context.Context, doing string, change func(*tx) error) error {
	return db.writeIn(ctx, doing, round{}, change)
}

// writeIn is write for a change that belongs to a round.
func (db *database) writeIn(ctx context.Context, doing string, r round, change func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	w := &write{change: change, round: r, done: make(chan struct{})}
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

// writeLoop is the writing goroutine. It runs from Open until Close, and finishes what
// is queued.
func (db *database) writeLoop() {
	defer close(db.finished)

	watch := time.NewTicker(watchEvery)
	defer watch.Stop()

	last := 0 // the number of writes in the last commit
	for {
		batch, open := db.queue.take(maxBatch)
		if len(batch) > 0 {
			alone := len(batch) == 1
			batch = db.await(batch)
			if last >= crowd && !alone && len(batch) < few && open {
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

		select {
		case <-db.queue.wake:
		case <-watch.C:
			_ = db.session.confirm() // it tells the operator, and refuses the next write
			_ = db.session.watch()   // it has logged why not, and is called again
		case <-db.doorbell.ring:
			_ = db.session.watch()
		}
	}
}

// linger waits a moment for more writes to share a commit.
func (db *database) linger(n int) []*write {
	<-time.After(lingerTime)
	more, _ := db.queue.take(n)
	db.company.arrived(more)
	return more
}

// commit makes the changes durable in one transaction. When a change fails half-way,
// each gets a separate transaction, so that it fails alone. When the database fails,
// they all fail.
func (db *database) commit(batch []*write) {
	err := db.safety.refusal()
	if err == nil {
		err = db.persist(batch)
	}
	if err == nil {
		err = db.session.confirm()
	}
	if err != nil {
		db.notice(err)
	}

	switch {
	case err == nil:
	case len(batch) == 1, engine.FaultOf(err) != engine.FaultNone:
		for _, w := range batch {
			w.err = err
		}
	default:
		for _, w := range batch {
			db.commit([]*write{w})
		}
	}
}

// persist runs a transaction, and again when another was in its way, its connection has ended, or much that other
// hosts wrote has to be taken first.
func (db *database) persist(batch []*write) error {
	for {
		err := db.attempt(batch)
		if errors.Is(err, errBehind) {
			if err = db.session.watch(); err == nil {
				continue
			}
		}
		if !db.outage.Again(context.Background(), err) {
			return err
		}
	}
}

// attempt runs one transaction.
func (db *database) attempt(batch []*write) error {
	t := &tx{db: db.writer, rows: db.rows, SQL: db.sql, session: db.session, Host: db.host, Now: db.now()}
	err := db.session.begin(t)
	if err == nil {
		err = t.run(batch, tables)
	}
	if err == nil {
		err = db.session.commit(t)
	}
	if err != nil {
		db.session.rollback()
		return err
	}

	for _, f := range t.after {
		f()
	}
	db.acknowledge(t.lastEvent, t.nextSeq-1)
	db.expectCompany(t)
	db.inboxes.invalidate(readInboxes.Added(t), olderInboxes.Added(t))
	db.events.publish(t.lastEvent)

	return nil
}

// refused reports whether an error is an answer to the caller, and not a failure of the
// database.
func refused(err error) bool {
	if errors.Is(err, ErrStale) {
		return true
	}
	_, ok := errors.AsType[*parley.Error](err)
	return ok
}
