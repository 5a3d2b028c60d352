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
	queue    *engine.Queue
	finished chan struct{} // closed when the writing goroutine has ended
	events   feed
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
	lease    *lease // nil for a file
	host     string // the name of this machine; "" for a file
}

// kept is what guards the file of a database, and its copies.
type kept struct {
	marked   bool // as open in the file; only the writing goroutine uses it
	watched  watched
	safety   *safety
	progress progressFile
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
	db.events.close()
	if err := db.session.close(); err != nil {
		return db.fail("closing the database", err)
	}
	db.progress.close()

	return nil
}
