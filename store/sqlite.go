package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// What is said in this file, and in migrations/sqlite, is true of SQLite alone;
// the rest of the package is written in the SQL that PostgreSQL shares.

const dialect = goose.DialectSQLite3

// defaultBusyTimeout is how long a statement waits for another process's lock.
// While it waits it cannot be cancelled, so it is short.
const defaultBusyTimeout = 3 * time.Second

// maxLogSize is what is left of the write-ahead log after a checkpoint, in
// bytes.
const maxLogSize = 16 << 20

// dsn describes a connection to the file at path. The driver knows _pragma and
// _txlock alone and runs the pragmas in their order.
func dsn(path string, busy time.Duration, pragmas ...string) string {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path}
	q := url.Values{"_pragma": append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
	}, pragmas...)}
	return u.String() + "?" + q.Encode()
}

// Accepted means durable: FULL waits for the disk in every commit. The log is
// moved into the file every 4,000 pages (16 MB), four times as seldom as by
// default, and 8 MB of pages are kept at hand: a broadcast touches some pages
// for each recipient, and they are the same the next time.
var writerPragmas = []string{"journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
	"journal_size_limit(" + strconv.Itoa(maxLogSize) + ")", "wal_autocheckpoint(4000)", "cache_size(-8000)"}

var readerPragmas = []string{"query_only(1)"}

// connect opens a pool of at most n connections; none is made yet.
func connect(dsn string, n int) (*sql.DB, error) {
	pool, err := sql.Open(sqlite.DriverName, dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// over puts gorm on a connection or a pool of them. It is silent: errors are
// returned, and nothing else is worth a line.
func over(pool gorm.ConnPool) (*gorm.DB, error) {
	return gorm.Open(&sqlite.Dialector{Conn: pool}, &gorm.Config{
		Logger: logger.Discard, SkipDefaultTransaction: true, DisableAutomaticPing: true,
	})
}

// The primary result codes of SQLite (sqlite.org/rescode.html); the rest of a
// code's bits say more about it.
const (
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

// The extended codes of what a caller can have got wrong.
const (
	codeForeignKey = codeConstraint | 3<<8
	codePrimaryKey = codeConstraint | 6<<8
	codeUnique     = codeConstraint | 8<<8
)

func codeOf(err error) int {
	var coded interface {
		error
		Code() int
	}
	if errors.As(err, &coded) {
		return coded.Code()
	}
	return 0
}

func duplicate(err error) bool {
	code := codeOf(err)
	return code == codeUnique || code == codePrimaryKey
}

func dangling(err error) bool { return codeOf(err) == codeForeignKey }

// faultOf tells the failures of the database itself apart.
func faultOf(err error) fault {
	switch codeOf(err) & 0xff {
	case codeBusy, codeLocked, codeProtocol:
		return faultLocked
	case codeFull:
		return faultFull
	case codePerm, codeReadOnly:
		return faultPermission
	case codeCorrupt:
		return faultCorrupt
	case codeNotADB:
		return faultForeign
	case codeIO, codeCannotOpen, codeNoMemory, codeInterrupt:
		return faultIO
	}

	return faultNone
}

// contents counts the tables of a database, and says whether it is one of ours.
func contents(ctx context.Context, db *sql.DB) (tables int, ours bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(name = ?), 0) FROM sqlite_master WHERE type = 'table'`,
		goose.DefaultTablename).Scan(&tables, &ours)
	return tables, ours, err
}

// check reads every page and returns what is wrong with them, "" for nothing.
func check(ctx context.Context, db *sql.DB) (string, error) {
	return ask(ctx, db, `PRAGMA quick_check(1)`)
}

// checkAll is check for the indexes too, which takes longer.
func checkAll(ctx context.Context, db *sql.DB) (string, error) {
	return ask(ctx, db, `PRAGMA integrity_check(1)`)
}

func ask(ctx context.Context, db *sql.DB, pragma string) (string, error) {
	var verdict string
	if err := db.QueryRowContext(ctx, pragma).Scan(&verdict); err != nil {
		return "", err
	}
	if verdict == "ok" {
		return "", nil
	}
	return verdict, nil
}

// lastEvent returns the highest number that an event ever had.
func lastEvent(ctx context.Context, db *sql.DB) (last int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events'`).Scan(&last)
	return last, err
}

// copyInto writes a consistent copy of the database to path, an empty file.
func copyInto(ctx context.Context, db *sql.DB, path string) error {
	_, err := db.ExecContext(ctx, `VACUUM INTO ?`, path)
	return err
}
