package engine

import (
	"context"
	"errors"
	"path/filepath"

	"parley/internal/disk"
)

// Write runs a change in a transaction, together with those of other callers, and
// returns when it is durable. The change's own error is returned as it is, and undoes
// this change alone. When ctx ends before the change has begun, nothing happens; once
// begun, it is finished. The change may belong to a round.
func (d *Database) Write(ctx context.Context, r Round, change func(*Tx) error) error {
	return d.Queue.Do(ctx, r, change)
}

// Serve is the writing goroutine. It runs until Close, and finishes what is queued.
func (d *Database) Serve() {
	defer close(d.finished)
	d.Queue.Serve(d.commit, WatchEvery, d.Doorbell.Rings(), func(rang bool) {
		if !rang {
			_ = d.Session.Confirm() // it tells the operator, and refuses the next write
			d.noteRoom(nil)
		}
		_ = d.Session.Watch() // it has logged why not, and is called again
	})
}

// commit makes the changes durable in one transaction. When a change fails half-way,
// each gets a separate transaction, so that it fails alone. When the database fails,
// they all fail.
func (d *Database) commit(batch []*Write) {
	err := d.Safety.Refusal()
	if err == nil {
		err = d.persist(batch)
	}
	if err == nil {
		err = d.Session.Confirm()
	}
	if err != nil {
		d.Notice(err)
	}
	d.noteRoom(err)

	switch {
	case err == nil:
	case len(batch) == 1, FaultOf(err) != FaultNone:
		for _, w := range batch {
			w.Refuse(err)
		}
	default:
		for _, w := range batch {
			d.commit([]*Write{w})
		}
	}
}

// roomNeeded is the room beside a database, in bytes, with which a disk counts as full no more. The largest message
// with its index needs less.
const roomNeeded = 256 << 10

// noteRoom notes how a change ended that may have failed for want of room. A smaller change may still fit.
func (d *Database) noteRoom(err error) {
	switch {
	case OSFault(err) == FaultFull:
		d.Safety.full.Store(&loss{err})
	case err == nil && d.Safety.Full() != nil && (!d.SQL.Embedded || disk.HasRoom(filepath.Dir(d.Path), roomNeeded)):
		d.Safety.full.Store(nil)
	}
}

// First runs a change before Serve does.
func (d *Database) First(change func(*Tx) error) error {
	w := NewWrite(change)
	return errors.Join(d.attempt([]*Write{w}), w.Err())
}

// persist runs a transaction, and again when another was in its way, its connection has ended, or much that other
// hosts wrote has to be taken first.
func (d *Database) persist(batch []*Write) error {
	for {
		err := d.attempt(batch)
		if errors.Is(err, errBehind) {
			if err = d.Session.Watch(); err == nil {
				continue
			}
		}
		if !d.Outage.Again(context.Background(), err) {
			return err
		}
	}
}

// attempt runs one transaction.
func (d *Database) attempt(batch []*Write) error {
	t := NewTx(d.Writer, TxOptions{
		SQL:     d.SQL,
		Host:    d.Host,
		Now:     d.Now(),
		Spoiled: d.Session.Spoiled,
		Answers: d.Answers,
	})
	err := d.Session.Begin(t)
	if err == nil {
		err = t.Run(batch, d.Nouns.Tables)
	}
	if err == nil {
		err = d.Session.Commit(t)
	}
	if err != nil {
		d.Session.Rollback()
		return err
	}

	t.Committed()
	d.noteFailure(d.Progress.Advance(t.Last, t.Next.Row-1))
	d.Queue.Expect(d.Nouns.Rounds(t))
	d.Nouns.Committed(t)
	d.Events.Publish(t.Last)

	return nil
}
