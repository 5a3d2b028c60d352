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
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
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

// hasState reports whether an error of PostgreSQL has a code.
func hasState(err error, code string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == code
}
