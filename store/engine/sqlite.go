// Package engine has what a database needs, whatever it holds: connections to a file of SQLite or to PostgreSQL, the
// statements that they keep, transactions that write tables, the queue of commits, migrations, how all that fails, and
// how a database is examined, copied, repaired and moved. It does not know what a message is. gorm, goose and the
// drivers are here alone. Its errors are those of the drivers and a few of its own (see trouble.go); what they mean to
// people is said by store.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
)

// This file holds what concerns the driver of SQLite: connections, pragmas, error codes and
// checks. dialect.go has what SQLite writes differently from PostgreSQL.

// Readers is how many queries of a database run at a time.
const Readers = 4

const driverName = "sqlite"

// DefaultBusyTimeout is how long a statement waits for another process's lock.
// A waiting statement cannot be cancelled, so the time is short.
const DefaultBusyTimeout = 3 * time.Second

// IncrementalVacuum is the value of PRAGMA auto_vacuum.
const IncrementalVacuum = 2

// maxLogSize is the size in bytes to which a checkpoint cuts the write-ahead log.
const maxLogSize = 16 << 20

// DSN describes a connection to the file at path. The driver sets busy_timeout first, and
// then the other pragmas in the order of their names.
func DSN(path string, busy time.Duration, pragmas ...string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path}
	q := url.Values{"_pragma": append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
	}, pragmas...)}
	return u.String() + "?" + q.Encode()
}

// WriterPragmas make an accepted message durable: FULL waits for the disk in every
// commit. A checkpoint comes every 4,000 pages (16 MB), four times as seldom as by
// default. The cache holds 8 MB: a broadcast touches some pages for each recipient, and
// the next one touches the same pages. With 4 MB, one to 200 agents took a sixth longer in
// a workspace of a million messages. In memory a cache is twice as large as it says: the
// allocator rounds a page and what is noted about it up to a power of two.
var WriterPragmas = []string{
	"journal_mode(WAL)",
	"synchronous(FULL)",
	"foreign_keys(1)",
	"journal_size_limit(" + strconv.Itoa(maxLogSize) + ")",
	"wal_autocheckpoint(4000)",
	"cache_size(-8000)",
}

// NewPragmas let a new database return freed pages to the file system, in small steps. An
// older one would have to be written again for that, and fills them instead. The pragma must
// come first, and it writes each time.
var NewPragmas = append([]string{"auto_vacuum(INCREMENTAL)"}, WriterPragmas...)

// ReaderPragmas leave a reader half of the usual cache. Queries of a million messages were no
// slower, and there are several readers.
var ReaderPragmas = []string{"query_only(1)", "cache_size(-1000)"}

// Connect returns a pool of at most n connections. It opens none yet.
func Connect(dsn string, n int) (*sql.DB, error) {
	pool, err := sql.Open(driverName, dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// The primary result codes of SQLite (sqlite.org/rescode.html). The other bits of a code
// give details.
const (
	CodeUnknown    = 1 // for example a table
	codePerm       = 3
	codeBusy       = 5
	codeLocked     = 6
	codeNoMemory   = 7
	codeReadOnly   = 8
	codeInterrupt  = 9
	codeIO         = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCannotOpen = 14
	codeProtocol   = 15
	codeConstraint = 19
	codeNotADB     = 26
)

// The extended codes of mistakes that a caller can make.
const (
	codeForeignKey = codeConstraint | 3<<8
	codePrimaryKey = codeConstraint | 6<<8
	codeUnique     = codeConstraint | 8<<8
)

// CodeOf returns SQLite's code of an error, 0 for other errors.
func CodeOf(err error) int {
	var coded interface {
		error
		Code() int
	}
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return 0
}

// sqliteFault returns how SQLite failed, faultNone for other errors.
func sqliteFault(err error) Fault {
	switch CodeOf(err) & 0xff {
	case codeBusy, codeLocked, codeProtocol:
		return FaultLocked
	case codeFull:
		return FaultFull
	case codePerm, codeReadOnly:
		return FaultPermission
	case codeCorrupt:
		return FaultCorrupt
	case codeNotADB:
		return FaultForeign
	case codeIO, codeCannotOpen, codeNoMemory, codeInterrupt:
		return FaultIO
	}

	return FaultNone
}

// Contents counts the tables of a database, and reports whether it is one of ours.
func Contents(ctx context.Context, db *sql.DB) (tables int, ours bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name = ?), 0) FROM sqlite_master WHERE type = 'table'`,
		goose.DefaultTablename).Scan(&tables, &ours)
	return tables, ours, err
}

// Check reads every page and returns what is wrong, "" for nothing.
func Check(ctx context.Context, db *sql.DB) (string, error) {
	return runCheck(ctx, db, `PRAGMA quick_check(1)`)
}

// CheckAll is like check, but reads the indexes too, which takes longer.
func CheckAll(ctx context.Context, db *sql.DB) (string, error) {
	return runCheck(ctx, db, `PRAGMA integrity_check(1)`)
}

func runCheck(ctx context.Context, db *sql.DB, pragma string) (string, error) {
	var verdict string
	if err := db.QueryRowContext(ctx, pragma).Scan(&verdict); err != nil {
		return "", err
	}
	return verdictOf(verdict)
}

// pageCode finds the code with which a check could not read a page, in its words.
var pageCode = regexp.MustCompile(`error code[ =](\d+)`)

// verdictOf reads the words of a check. A page that cannot be read for want of memory, or since the system refuses, is
// no damage: that is an error.
func verdictOf(words string) (string, error) {
	if words == "ok" {
		return "", nil
	}
	if m := pageCode.FindStringSubmatch(words); m != nil {
		code, _ := strconv.Atoi(m[1])
		if primary := code & 0xff; primary != codeCorrupt && primary != codeNotADB {
			return "", unread(code)
		}
	}
	return words, nil
}

// unread is SQLite's code for a page that a check cannot read now.
type unread int

func (u unread) Error() string {
	return fmt.Sprintf("a page cannot be read now (SQLite's code %d)", int(u))
}
func (u unread) Code() int { return int(u) }

// Executor is a connection, or a pool of them.
type Executor interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// CopyInto writes a consistent copy of the database to path, an empty file.
func CopyInto(ctx context.Context, db Executor, path string) error {
	_, err := db.ExecContext(ctx, `VACUUM INTO ?`, path)
	return err
}

// Safety says whether a database accepts more, and tells the operator what happened to it.
type Safety struct {
	News  chan string   // what happened, in words
	Saved chan struct{} // closed when all is saved that the removed files held

	lost atomic.Pointer[loss] // why nothing is accepted any more; read by all
	full atomic.Pointer[loss] // how the last change failed for want of room; read by all
}

type loss struct{ error }

// NewSafety returns that of a database which is safe.
func NewSafety() *Safety { return &Safety{News: make(chan string, 4), Saved: make(chan struct{})} }

// Refusal returns why nothing is accepted any more, nil while all is well.
func (a *Safety) Refusal() error {
	if lost := a.lost.Load(); lost != nil {
		return lost.error
	}
	return nil
}

// Condemn accepts nothing more, for a reason. It reports whether that is the first one, which stays.
func (a *Safety) Condemn(why error) (first bool) { return a.lost.CompareAndSwap(nil, &loss{why}) }

// Full returns how the last change failed for want of room on the disk, nil while there is room.
func (a *Safety) Full() error {
	if full := a.full.Load(); full != nil {
		return full.error
	}
	return nil
}

// Tell queues words for the operator. Those that nobody has read are not pushed out.
func (a *Safety) Tell(format string, args ...any) {
	select {
	case a.News <- fmt.Sprintf(format, args...):
	default:
	}
}
