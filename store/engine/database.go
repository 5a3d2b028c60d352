package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// Database is an open database: one connection that writes, a pool that reads, and the queue of writes. One goroutine
// writes: see Serve.
type Database struct {
	Path string // of the file, or what names the database of a server
	Host string // the name of this machine; "" for a file
	SQL  *Dialect
	Connections

	Now func() time.Time
	Log *slog.Logger
	// Answers reports whether an error is an answer to the caller of a change, and not a failure of the database.
	Answers func(error) bool
	Nouns   Nouns

	Session  Session // only the writing goroutine uses it after Open
	Queue    *Queue
	Events   Feed
	Outage   Outage
	Safety   *Safety
	Progress ProgressFile // of a file
	Doorbell Doorbell     // does not ring for a file
	Lease    *Lease       // nil for a file

	finished chan struct{} // closed when the writing goroutine has ended
}

// Nouns is what the rows say about themselves.
type Nouns struct {
	Tables    []Described                       // in the order of writing
	Rounds    func(*Tx) map[Round]int           // the writes that follow those of a transaction
	Ring      func(*Tx) (said string, of []any) // what other hosts are told of it, in SQL, with its parameters
	Committed func(*Tx)                         // a transaction is durable, and nobody has been told yet
}

// Connections is what reads and writes a database.
type Connections struct {
	Writer *Rows // only the writing goroutine uses it
	Reader *Rows

	WriterPool *sql.DB   // of one connection,
	WriterConn *sql.Conn // which is this one with SQLite
	ReaderPool *sql.DB
	statements *Statements // of the writer's connection
}

// Querier reads in a transaction, or outside of one.
type Querier interface {
	Query(dest any, sql string, args ...any) error
}

// Session is the way of the writing goroutine to the database. After Open, nothing else uses it.
type Session interface {
	// Begin begins a transaction, and gives it the next numbers if the database keeps them.
	Begin(*Tx) error
	// Commit makes the transaction durable. After an error, nothing of it has happened.
	Commit(*Tx) error
	// Rollback gives the transaction up.
	Rollback()
	// Spoiled reports whether a statement has failed so that the transaction can only be given up.
	Spoiled() bool
	// Confirm looks whether what was written is safe, and whether more may be. It also runs from
	// time to time when nothing is written.
	Confirm() error
	// Watch looks, from time to time, at what others have done: other hosts, or whoever removes files.
	// It returns why it could not look, and logs it.
	Watch() error
	// Follow sets what takes the events that others write: those after a number, up to another, as far as it has taken
	// them then.
	Follow(take func(q Querier, after, last int64) (int64, error))
	Close() error
}

// Begin prepares for Serve and Write. Nothing is open yet.
func (d *Database) Begin() {
	d.Queue, d.Safety, d.finished = NewQueue(), NewSafety(), make(chan struct{})
	d.Events.Begin(0)
}

// OpenWriter opens the connection that writes to a file, which it makes if it is missing. It takes no lock yet, so
// that the schema can be changed.
func (d *Database) OpenWriter(busy time.Duration) (err error) {
	if err := createFile(d.Path); err != nil {
		return err
	}
	pragmas := WriterPragmas
	if info, err := os.Stat(d.Path); err == nil && info.Size() == 0 {
		pragmas = NewPragmas
	}
	d.WriterPool, err = Connect(DSN(d.Path, busy, pragmas...), 1)
	return err
}

// OpenReaders opens the pool that reads a file, and one of its connections: when the file's name is
// lost, there is no other. It also takes the connection that writes out of its pool.
func (d *Database) OpenReaders(ctx context.Context, busy time.Duration) (err error) {
	if d.ReaderPool, err = Connect(DSN(d.Path, busy, ReaderPragmas...), Readers); err != nil {
		return err
	}
	if err := d.ReaderPool.PingContext(ctx); err != nil {
		return err
	}
	if d.Reader, err = d.SQL.Over(KeepStatements(d.ReaderPool)); err != nil {
		return err
	}

	if d.WriterConn, err = d.WriterPool.Conn(ctx); err != nil {
		return err
	}
	d.statements = KeepStatements(d.WriterConn)
	d.Writer, err = d.SQL.Over(d.statements)

	return err
}

// createFile makes the file and its directory if they are missing, and checks that the file
// may be read and written.
func createFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Abandon closes what a failed open has opened.
func (d *Database) Abandon() {
	if d.WriterConn != nil {
		d.statements.Close()
		_ = d.WriterConn.Close()
	}
	for _, pool := range []*sql.DB{d.ReaderPool, d.WriterPool} {
		if pool != nil {
			_ = pool.Close()
		}
	}
	d.Progress.Close()
}

// Close writes what is queued and closes the database. Calls after the first wait for it and return nil.
func (d *Database) Close() error {
	if !d.Queue.Close() {
		<-d.finished
		return nil
	}

	<-d.finished
	d.Events.Close()
	err := d.Session.Close()
	d.Progress.Close()

	return err
}

// closePools closes the connections. The writer goes last: the last connection moves the log into the file.
func (c *Connections) closePools() error {
	if c.WriterConn == nil {
		return errors.Join(c.ReaderPool.Close(), c.WriterPool.Close())
	}
	c.statements.Close()
	return errors.Join(c.ReaderPool.Close(), c.WriterConn.Close(), c.WriterPool.Close())
}

// Reading returns what reads for a call.
func (d *Database) Reading(ctx context.Context) *Rows { return d.Reader.With(ctx) }

// Notice stops accepting when an error says that the database is damaged.
func (d *Database) Notice(err error) {
	switch FaultOf(err) {
	case FaultCorrupt, FaultForeign:
		_ = d.Condemn(err.Error())
	}
}

// Condemn stops accepting, because the database is damaged, and returns why.
func (d *Database) Condemn(cause string) error {
	e := &DamagedError{Path: d.Path, Cause: cause}
	if d.Safety.Condemn(e) {
		d.Log.Error("the database is damaged", "cause", cause)
		d.Safety.Tell("The database %s is damaged (%s), so nothing more is accepted. Run parley doctor --repair.",
			d.Path, cause)
	}
	return e
}

// noteFailure logs, once, that something cannot be written down.
func (d *Database) noteFailure(err error) {
	if err != nil && !d.Progress.Failed {
		d.Log.Warn("what is acknowledged cannot be written down; a loss would go unnoticed", "error", err)
	}
	d.Progress.Failed = err != nil
}

// Foreign is the SQLite database of another program, opened for reading alone. It never writes to the
// file, and holds up no writer if that one uses a write-ahead log.
type Foreign struct{ pool *sql.DB }

// foreignPragmas keep us from writing, from waiting long, and from running functions that the file names.
const foreignPragmas = "&_pragma=busy_timeout(200)&_pragma=query_only(1)&_pragma=trusted_schema(0)"

// OpenForeign opens the database of another program. The file must exist.
func OpenForeign(ctx context.Context, path string) (*Foreign, error) {
	file := url.URL{Scheme: "file", OmitHost: true, Path: path}
	pool, err := sql.Open(driverName, file.String()+"?mode=ro"+foreignPragmas)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close() // the first error counts
		return nil, fmt.Errorf("open another program's database: %w", err)
	}
	return &Foreign{pool}, nil
}

// Each calls take for each row of a query, with the function that scans it.
func (f *Foreign) Each(ctx context.Context, take func(scan func(...any) error) error, query string, args ...any) error {
	rows, err := f.pool.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Close closes the file.
func (f *Foreign) Close() error { return f.pool.Close() }

// Feed wakes the callers that wait for events. Each publication closes the channel on
// which they wait and replaces it.
type Feed struct {
	last atomic.Int64

	mu     sync.Mutex
	news   chan struct{}
	closed bool
}

// Begin starts with the number of the last event. Nobody waits yet.
func (f *Feed) Begin(last int64) {
	f.last.Store(last)
	if f.news == nil {
		f.news = make(chan struct{})
	}
}

// Last returns the number of the last event, 0 for none.
func (f *Feed) Last() int64 { return f.last.Load() }

// Publish wakes those who wait, when there is a later event than before.
func (f *Feed) Publish(last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last <= f.last.Load() {
		return
	}
	f.last.Store(last)
	close(f.news)
	f.news = make(chan struct{})
}

// Close wakes all who wait, and those who wait later.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.news)
	f.news = make(chan struct{})
}

// Wait waits for an event with a higher number. It returns an error when ctx ends or the feed is closed before.
func (f *Feed) Wait(ctx context.Context, after int64) error {
	for {
		f.mu.Lock()
		last, news, closed := f.last.Load(), f.news, f.closed
		f.mu.Unlock()
		switch {
		case last > after:
			return nil
		case closed:
			return ErrClosed
		}

		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
