package store

import (
	"context"
	"database/sql"
	"io/fs"
	"log/slog"
	"parley/store/engine"
	"sync/atomic"
	"time"
)

// database is the open database: one connection that writes, a pool that reads, and the
// queue of writes. All types of the store share it.
type database struct {
	path   string // of the file, or what names the database of a server
	now    func() time.Time
	log    *slog.Logger
	tuning tuning

	open   func(context.Context) error
	backup func(ctx context.Context, path string) (size int64, err error) // to a new file
	sql    *engine.Dialect
	connections

	outage   engine.Outage
	nouns    described
	queue    *engine.Queue
	finished chan struct{} // closed when the writing goroutine has ended
	events   engine.Feed
	counted  counted
	inboxes  inboxCounts
	hosted
	kept
}

// connections is what reads and writes the database.
type connections struct {
	session session      // only the writing goroutine uses it,
	writer  *engine.Rows // and this, which is over its connection
	reader  *engine.Rows

	writerPool *sql.DB            // of one connection,
	writerConn *sql.Conn          // which is this one with SQLite
	statements *engine.Statements // of that connection
	readerPool *sql.DB
}

// hosted is what a database on a server has for the hosts that share it.
type hosted struct {
	doorbell engine.Doorbell // it does not ring for a file
	hosts    atomic.Pointer[Team]
	lease    *engine.Lease // nil for a file
	host     string        // the name of this machine; "" for a file
}

// kept is what guards the file of a database, and its copies.
type kept struct {
	marked   bool // as open in the file; only the writing goroutine uses it
	watched  engine.Watched
	safety   *engine.Safety
	progress engine.ProgressFile
	copies   Copies
}

// tuning holds what tests change.
type tuning struct {
	busyTimeout time.Duration
	migrations  fs.FS // instead of the embedded ones
	searchTime  time.Duration
	moves       bool          // rows are moved in or out
	goOn        *continuation // a repair has made the file
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

// querier reads in a transaction, or outside of one.
type querier interface {
	Query(dest any, sql string, args ...any) error
}

// tx is one transaction.
type tx = engine.Tx

func (db *database) reading(ctx context.Context) *engine.Rows { return db.reader.With(ctx) }

// close writes what is queued and closes the file. Calls after the first wait for it
// and return nil.
func (db *database) close() error {
	if !db.queue.Close() {
		<-db.finished
		return nil
	}

	<-db.finished
	db.events.Close()
	if err := db.session.close(); err != nil {
		return db.fail("closing the database", err)
	}
	db.progress.Close()

	return nil
}

// session is the way of the writing goroutine to the database. After Open, nothing else uses it.
type session interface {
	// begin begins a transaction, and gives t the next numbers if the database keeps them.
	begin(t *tx) error
	// commit makes the transaction durable. After an error, nothing of it has happened.
	commit(t *tx) error
	// rollback gives the transaction up.
	rollback()
	// spoiled reports whether a statement has failed so that the transaction can only be given up.
	spoiled() bool
	// confirm looks whether what was written is safe, and whether more may be. It also runs from
	// time to time when nothing is written.
	confirm() error
	// watch looks, from time to time, at what others have done: other hosts, or whoever removes files.
	// It returns why it could not look, and logs it.
	watch() error
	// follows sets what takes the events that others write: those after a number, up to another, as far as it has taken
	// them then.
	follows(take func(q querier, after, last int64) (int64, error))
	close() error
}

// continuation is how a repair lets a database that lacks something go on.
type continuation struct {
	after engine.Progress // what was acknowledged: no number up to there is given again
	id    uint64          // of the database, if it does not say
	lacks *Shortfall      // nil for nothing
}

// described is what the nouns say about themselves: see schema.go.
type described struct {
	tables []engine.Described
	rounds func(*tx) map[engine.Round]int      // the writes that follow those of a transaction
	counts func(*tx) (readers, older []string) // whose counts no longer hold after it
	ring   func(*tx) (said string, args []any) // what other hosts are told of it
}
