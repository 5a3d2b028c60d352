package store

import (
	"context"
	"errors"
	"parley/store/engine"
)

// write runs a change in a transaction, together with those of other callers, and
// returns when it is durable. The change's own error is returned as it is, and undoes
// this change alone. When ctx ends before the change has begun, nothing happens; once
// begun, it is finished.
func (db *database) write(ctx context.Context, doing string, change func(*tx) error) error {
	return db.writeIn(ctx, doing, engine.Round{}, change)
}

// writeIn is write for a change that belongs to a round.
func (db *database) writeIn(ctx context.Context, doing string, r engine.Round, change func(*tx) error) error {
	err := db.queue.Do(ctx, r, change)
	switch {
	case err == nil, refused(err):
		return err
	case errors.Is(err, engine.ErrClosed):
		return errClosed()
	}
	return db.fail(doing, err)
}

// writeLoop is the writing goroutine. It runs from Open until Close, and finishes what
// is queued.
func (db *database) writeLoop() {
	defer close(db.finished)
	db.queue.Serve(db.commit, engine.WatchEvery, db.doorbell.Rings(), func(rang bool) {
		if !rang {
			_ = db.session.confirm() // it tells the operator, and refuses the next write
		}
		_ = db.session.watch() // it has logged why not, and is called again
	})
}

// commit makes the changes durable in one transaction. When a change fails half-way,
// each gets a separate transaction, so that it fails alone. When the database fails,
// they all fail.
func (db *database) commit(batch []*engine.Write) {
	err := db.safety.Refusal()
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
			w.Refuse(err)
		}
	default:
		for _, w := range batch {
			db.commit([]*engine.Write{w})
		}
	}
}

// persist runs a transaction, and again when another was in its way, its connection has ended, or much that other
// hosts wrote has to be taken first.
func (db *database) persist(batch []*engine.Write) error {
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
func (db *database) attempt(batch []*engine.Write) error {
	t := engine.NewTx(db.writer, engine.TxOptions{
		SQL:     db.sql,
		Host:    db.host,
		Now:     db.now(),
		Spoiled: db.session.spoiled,
		Answers: refused,
	})
	err := db.session.begin(t)
	if err == nil {
		err = t.Run(batch, db.nouns.tables)
	}
	if err == nil {
		err = db.session.commit(t)
	}
	if err != nil {
		db.session.rollback()
		return err
	}

	t.Committed()
	db.acknowledge(t.Last, t.Next.Row-1)
	db.queue.Expect(db.nouns.rounds(t))
	db.inboxes.invalidate(db.nouns.counts(t))
	db.events.Publish(t.Last)

	return nil
}
