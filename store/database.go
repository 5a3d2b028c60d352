package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"gorm.io/gorm"
)

// database is the open file: one connection that writes, a pool that reads, and the
// queue of writes. All types of the store share it.
type database struct {
	path   string
	now    func() time.Time
	log    *slog.Logger
	tuning tuning

	writerPool *sql.DB     // of one connection,
	writerConn *sql.Conn   // which is this one
	statements *statements // of that connection; only the writing goroutine uses them,
	writer     *gorm.DB    // and this, which is over them
	marked     bool        // marked as open in the database; only the writing goroutine uses it
	readerPool *sql.DB
	reader     *gorm.DB

	queue    queue
	company  company       // only the writing goroutine uses it
	finished chan struct{} // closed when the writing goroutine has ended
	events   feed
	counted  counted
	inboxes  inboxCounts
	anchor   *anchor // only the writing goroutine uses it, after Open
}

// tuning holds what tests change.
type tuning struct {
	busyTimeout time.Duration
	migrations  fs.FS // instead of the embedded ones
	searchTime  time.Duration
}

// read answers a query from a connection that cannot write. A query goes on
// when its context ends, so every query here is bounded.
func (db *database) read(ctx context.Context, doing string, dest any, sql string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := db.reader.WithContext(ctx).Raw(sql, args...).Scan(dest).Error; err != nil {
		return db.fail(doing, err)
	}
	return nil
}

// close writes what is queued and closes the file. Calls after the first wait for it
// and return nil.
func (db *database) close() error {
	if !db.queue.close() {
		<-db.finished
		return nil
	}

	<-db.finished
	db.events.close()
	db.markClosed()

	db.statements.close()

	// The writer goes last: the last connection moves the log into the file.
	err := errors.Join(db.readerPool.Close(), db.writerConn.Close(), db.writerPool.Close())
	if err != nil {
		return db.fail("closing the database", err)
	}
	db.anchor.closed()

	return nil
}
