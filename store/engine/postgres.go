package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// This file holds what concerns PostgreSQL's driver: connections and their settings.

// The times after which the server gives up a statement. A machine that is put to sleep may do so in
// the middle of a transaction: the server ends it before the lock is too long awaited by others.
const (
	writeTime   = 10 * time.Second
	readTime    = 30 * time.Second
	lockTime    = 8 * time.Second
	idleTime    = 4 * time.Second // of a transaction that has come to a stop
	connectTime = 5 * time.Second
	// answerTime is how much longer than the server the store waits, in case that the network is cut.
	answerTime = 3 * time.Second
	// spareTime is how long a connection is kept that nobody uses: a server has 100 for all hosts, if nobody says more.
	spareTime = time.Minute
)

// PostgresConfig reads the URL of a database. The error holds nothing of the URL, which may hold a
// password.
func PostgresConfig(text string) (*ServerConfig, error) {
	config, err := pgx.ParseConfig(text)
	if err != nil || !isPostgres(text) {
		return nil, errNoURL
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTime)
	return config, nil
}

// errNoURL says that a text is not the URL of a database.
var errNoURL = errors.New("it is not the URL of a PostgreSQL database")

// ServerConfig is how to connect to a server.
type ServerConfig = pgx.ConnConfig

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// ServerPlace names the database of a configuration without the password.
func ServerPlace(config *ServerConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(config.User), Path: "/" + config.Database}
	if strings.HasPrefix(config.Host, "/") {
		u.RawQuery = "host=" + config.Host
	} else {
		u.Host = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	}
	return u.String()
}

// settings of a connection that the URL does not make.
func WithSettings(config *ServerConfig, settings map[string]string) *ServerConfig {
	config = config.Copy()
	for name, value := range settings {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	return config
}

// milliseconds writes a time as PostgreSQL's settings have it.
func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// PostgresWriter returns a pool of one connection, to a server that takes writes.
func PostgresWriter(config *ServerConfig) *sql.DB {
	config = WithSettings(config, map[string]string{
		"application_name":                    "parley",
		"statement_timeout":                   milliseconds(writeTime),
		"lock_timeout":                        milliseconds(lockTime),
		"idle_in_transaction_session_timeout": milliseconds(idleTime),
	})
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	return postgresPool(config, 1, writeTime)
}

// PostgresReaders returns a pool of connections that only read.
func PostgresReaders(config *ServerConfig) *sql.DB {
	config = WithSettings(config, map[string]string{
		"application_name":              "parley",
		"statement_timeout":             milliseconds(readTime),
		"default_transaction_read_only": "on",
	})
	// Not as the URL says: a session that only reads is never read-write. What the writer has is a primary.
	config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	return postgresPool(config, Readers, readTime)
}

func postgresPool(config *ServerConfig, n int, most time.Duration) *sql.DB {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &boundedConn{conn, most + answerTime}, nil
	}

	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	pool.SetConnMaxIdleTime(spareTime)
	return pool
}

// boundedConn does not wait for ever for a server that was cut off. An answer that is late ends the
// connection.
type boundedConn struct {
	net.Conn
	most time.Duration
}

func (c *boundedConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.most)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *boundedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.most)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// UnknownError says that it is not known whether a transaction was committed.
type UnknownError struct{ Cause error }

func (e *UnknownError) Error() string { return e.Cause.Error() }

// PostgresFault returns how PostgreSQL failed, faultNone for other errors.
func PostgresFault(err error) Fault {
	if _, ok := errors.AsType[*UnknownError](err); ok {
		return FaultUnknown
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return faultOfState(e.Code)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() && !Contextual(err) {
		return FaultStalled
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || isLost(err) {
		return FaultUnreachable
	}
	return FaultNone
}

// isLost reports whether a connection has ended.
func isLost(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// sqlStates are the codes of PostgreSQL (its documentation, appendix A) that are faults, or the classes
// of them.
var sqlStates = map[string]Fault{
	"08":    FaultUnreachable, // connection
	"57P":   FaultUnreachable, // it stops, has crashed, or starts
	"25006": FaultStandby,
	"53100": FaultFull,
	"53200": FaultCrowded, // no memory
	"53300": FaultCrowded, // no connections
	"53400": FaultCrowded,
	"40001": FaultConflict,
	"40P01": FaultConflict,
	"55P03": FaultStalled,  // a lock was not had in time
	"57014": FaultStalled,  // the statement took too long
	"25P03": FaultConflict, // the transaction was idle for too long: others needed its lock
	"28":    FaultRefused,  // who are you?
	"3D000": FaultRefused,  // no such database
	"42501": FaultRefused,
	"XX001": FaultCorrupt,
	"XX002": FaultCorrupt,
	"58":    FaultIO,
}

// faultOfState returns what a code means: of several entries the longest counts.
func faultOfState(code string) Fault {
	for n := len(code); n >= 2; n-- {
		if f, ok := sqlStates[code[:n]]; ok {
			return f
		}
	}
	return FaultNone
}

const (
	stateUnique     = "23505"
	stateForeignKey = "23503"
)

func hasState(err error, code string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == code
}

// PostgresRows runs the package's statements on connections to PostgreSQL. The driver keeps what it
// has prepared.
type PostgresRows struct {
	gorm.ConnPool

	Failed bool     // a statement of the writing goroutine has failed
	Outage *Outage  // of the server, for connections that only read: a query that failed is made again
	texts  sync.Map // of statements, with their parameters numbered
}

// ExecContext runs a statement that returns no rows.
func (p *PostgresRows) ExecContext(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	err = p.with(ctx, text, args, func(ctx context.Context, text string, values []any) error {
		res, err = p.ConnPool.ExecContext(ctx, text, values...)
		return err
	})
	return res, err
}

// QueryContext runs a statement that returns rows.
func (p *PostgresRows) QueryContext(ctx context.Context, text string, args ...any) (rows *sql.Rows, err error) {
	err = p.with(ctx, text, args, func(ctx context.Context, text string, values []any) error {
		rows, err = p.ConnPool.QueryContext(ctx, text, values...)
		return err
	})
	return rows, err
}

// with runs a statement. It goes on when the context ends: a connection on which one was interrupted
// is lost. The times of the connection bound it.
func (p *PostgresRows) with(
	ctx context.Context, text string, args []any, run func(context.Context, string, []any) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	values, err := postgresValues(args)
	if err != nil {
		return err
	}
	for text = p.numbered(text); ; {
		err := run(context.WithoutCancel(ctx), text, values)
		if p.Outage == nil {
			p.Failed = p.Failed || err != nil
			return err
		}
		if !p.Outage.Again(ctx, err) {
			return err
		}
	}
}

// numbered returns a statement as PostgreSQL takes it.
func (p *PostgresRows) numbered(text string) string {
	if !strings.Contains(text, "?") {
		return text
	}
	if known, ok := p.texts.Load(text); ok {
		return known.(string)
	}
	fresh := Numbered(text)
	p.texts.Store(text, fresh)
	return fresh
}

// Numbered replaces ? by $1, $2 and so on, and ?1 by $1. No text of ours holds a question mark.
func Numbered(statement string) string {
	parts := strings.Split(statement, "?")
	var b strings.Builder
	b.WriteString(parts[0])
	for i, part := range parts[1:] {
		b.WriteByte('$')
		if part == "" || part[0] < '0' || part[0] > '9' {
			b.WriteString(strconv.Itoa(i + 1))
		}
		b.WriteString(part)
	}
	return b.String()
}

// postgresValues returns the parameters of a statement as PostgreSQL takes them: truth is a number
// in the schema, and a text holds neither NUL nor bytes that are not UTF-8.
func postgresValues(args []any) ([]any, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, err
		}

		switch v := value.(type) {
		case bool:
			value = int64(0)
			if v {
				value = int64(1)
			}
		case string:
			value = ValidText(v)
		}
		values[i] = value
	}

	return values, nil
}

// ValidText replaces what PostgreSQL's texts cannot hold.
func ValidText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// patience is how long statements wait for a server that cannot be reached, from the first that
// has found it so: a server that starts again takes seconds. Later ones fail at once.
const patience = 4 * time.Second

// RetryPause is the time between two tries.
const RetryPause = 100 * time.Millisecond

// Outage notes since when a server cannot be reached.
type Outage struct{ since atomic.Int64 }

// Again reports whether to try again what has ended with an error. It waits before it says yes.
func (o *Outage) Again(ctx context.Context, err error) bool {
	now := time.Now().UnixNano()
	switch PostgresFault(err) {
	case FaultUnreachable:
		o.since.CompareAndSwap(0, now)
	case FaultConflict:
		now = 0 // it is there
	default:
		if err == nil {
			o.since.Store(0)
		}
		return false
	}
	if since := o.since.Load(); since != 0 && now-since > int64(patience) {
		return false
	}

	select {
	case <-time.After(RetryPause):
		return true
	case <-ctx.Done():
		return false
	}
}
