package store

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"math"
	"time"

	"parley/store/engine"
)

// database is the open database, which all types of the store share.
type database struct {
	base   *engine.Database
	copies Copies // of a file

	busyTimeout, searchTime time.Duration

	backup func(ctx context.Context, path string) (size int64, err error) // to a new file

	counted counted
	inboxes inboxCounts
	hosts   roster
}

// opening is a database that is being opened: nobody else has it yet.
type opening struct {
	db     *database
	tuning tuning
}

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

// Options say where the database is.
type Options struct {
	Path string // the database file; Open creates it when it is missing

	// URL names a PostgreSQL database, which is used in place of a file. Path then only tells this
	// daemon from others of the same machine.
	URL string

	// Host names this machine among those that share a PostgreSQL database; its own name if empty.
	Host string

	Copies Copies // automatic ones

	Now func() time.Time // the clock; time.Now if nil
	Log *slog.Logger     // for what needs no answer; nothing is logged if nil
}

func (o *Options) clock() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Copies says where automatic copies of the database lie, and how many are kept.
type Copies = engine.Copies

// Copy is an automatic copy of the database, which was checked when it was made.
type Copy = engine.Copy

type tx = engine.Tx

// querier reads in a transaction, or outside of one.
type querier = engine.Querier

// The nouns in a transaction. What is done about one there stands in the files of that noun.
type (
	agentsIn     struct{ tx *tx }
	deliveriesIn struct{ tx *tx }
	filesIn      struct{ tx *tx }
	hostsIn      struct{ tx *tx } // the other hosts
	keysIn       struct{ tx *tx } // to the API
	respondersIn struct{ tx *tx }
	threadsIn    struct{ tx *tx }
)

// movedFact keeps a daemon away from a database whose content was moved away. Its value names the other database.
const movedFact = "moved"

// shortfallFact is the name of the fact that holds the last shortfall until it is dismissed.
const shortfallFact = "shortfall"

// factsTable has facts about the whole workspace, by name. Some are about the database itself, and not copied.
var factsTable = engine.Table[struct{}]{Name: "facts", Key: []string{"name"},
	Which: `name NOT IN ('` + engine.OpenFact + `', '` + movedFact + `')`}

// nanos returns a time as it is stored: in nanoseconds since 1970, 0 for the zero time. One that
// 64 bits do not reach, before 1677 or after 2262, becomes the nearest that they reach.
func nanos(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(time.Unix(0, math.MinInt64)):
		return math.MinInt64
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return t.UnixNano()
}

// instant returns a stored time, the zero time for 0.
func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// instantOrNil returns a stored time, nil for 0.
func instantOrNil(n int64) *time.Time {
	if n == 0 {
		return nil
	}
	t := instant(n)
	return &t
}
