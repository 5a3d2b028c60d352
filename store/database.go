package store

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"parley/store/engine"
)

// database is the open database, which all types of the store share.
type database struct {
	base   *engine.Database
	tuning tuning
	copies Copies // of a file

	backup func(ctx context.Context, path string) (size int64, err error) // to a new file

	counted counted
	inboxes inboxCounts
	hosts   roster
}

// opening is a database that is being opened: nobody else has it yet.
type opening struct{ *database }

// tuning holds what tests change.
type tuning struct {
	busyTimeout time.Duration
	migrations  fs.FS // instead of the embedded ones
	searchTime  time.Duration
	moves       bool                 // rows are moved in or out
	goOn        *engine.Continuation // a repair has made the file
}

// read answers a query from a connection that cannot write. A query goes on
// when its context ends, so every query here is bounded.
func (db *database) read(ctx context.Context, doing string, dest any, sql string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.reading(ctx).Query(dest, sql, args...); err != nil {
		return db.fail(doing, err)
	}
	return nil
}

func (db *database) reading(ctx context.Context) *engine.Rows { return db.base.Reading(ctx) }

// write runs a change in a transaction: see engine.Database. The change's own error is returned as it is.
func (db *database) write(ctx context.Context, doing string, change func(*tx) error) error {
	return db.writeIn(ctx, doing, engine.Round{}, change)
}

// writeIn is write for a change that belongs to a round.
func (db *database) writeIn(ctx context.Context, doing string, r engine.Round, change func(*tx) error) error {
	err := db.base.Write(ctx, r, change)
	switch {
	case err == nil, refused(err):
		return err
	case errors.Is(err, engine.ErrClosed):
		return errClosed()
	}
	return db.fail(doing, err)
}

// close writes what is queued and closes the database. Calls after the first wait for it
// and return nil.
func (db *database) close() error {
	if err := db.base.Close(); err != nil {
		return db.fail("closing the database", err)
	}
	return nil
}

// fail turns an error of the driver into one of ours. The error of a context stays as it
// is.
func (db *database) fail(doing string, err error) error {
	if db.base.Queue.IsClosed() && engine.CodeOf(err) == 0 && !engine.Contextual(err) {
		return errClosed()
	}
	db.base.Notice(err)
	return failure(db.base.Path, doing, err)
}
