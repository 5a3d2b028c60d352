// Package store is the record of a workspace: agents, messages, their
// deliveries, the agent log and the numbered events, in one SQLite database
// behind gorm. What it has accepted is on the disk. It owns the schema and its
// migrations, the sequence of events, and the one goroutine that writes; no
// type and no error of gorm or of the driver leaves it.
package store

import (
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"gorm.io/gorm"
)

// Options say where the database is.
type Options struct {
	Path string           // of the database file; it is made when missing
	Now  func() time.Time // the clock; time.Now if nil
	Log  *slog.Logger     // for what needs no answer; nothing is logged if nil
}

// ErrStale says that a delivery is no longer in the state that the call builds
// on: someone else has moved it meanwhile. Nothing was changed.
var ErrStale = errors.New("the delivery is no longer in that state")

// Store is an open database. Its methods may be called concurrently. A failure
// of the database itself is STORAGE_UNAVAILABLE; later calls try again.
type Store struct {
	path   string
	now    func() time.Time
	log    *slog.Logger
	tuning tuning

	writerPool *sql.DB   // of one connection,
	writerConn *sql.Conn // which is this one
	writer     *gorm.DB  // over that connection; for the writing goroutine alone
	marked     bool      // that it is open, in the database; the writing goroutine's too
	readerPool *sql.DB
	reader     *gorm.DB

	queue    queue
	finished chan struct{} // closed when the writing goroutine has ended
	events   feed
	counted  counted
	inboxes  inboxCounts
}

// tuning is what tests change.
type tuning struct {
	busyTimeout time.Duration
	migrations  fs.FS // instead of the embedded ones
	searchTime  time.Duration
}

// Close writes what is queued, waits for it, and closes the file. Calls after
// it are STORAGE_UNAVAILABLE. It may be called again.
func (s *Store) Close() error {
	if !s.queue.close() {
		<-s.finished
		return nil
	}

	<-s.finished
	s.events.close()
	s.markClosed()

	// The writer goes last: the last connection moves the log into the file.
	err := errors.Join(s.readerPool.Close(), s.writerConn.Close(), s.writerPool.Close())
	if err != nil {
		return s.fail("closing the database", err)
	}

	return nil
}
