package store

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

	"parley"
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

// postgresConfig reads the URL of a database. The error holds nothing of the URL, which may hold a
// password.
func postgresConfig(text string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(text)
	if err != nil || !isPostgres(text) {
		return nil, parley.Errorf(parley.InvalidArgument,
			"the setting database is not the URL of a PostgreSQL database").
			With("setting", "database").
			Suggest("Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE, with %%40 for an @ in the password.")
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTime)
	return config, nil
}

func isPostgres(url string) bool {
	return strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://")
}

// CheckURL returns what is wrong with the URL of a database, nil for nothing.
func CheckURL(url string) error {
	_, err := postgresConfig(url)
	return err
}

// PlaceOf names the database of a URL without the password.
func PlaceOf(text string) string {
	config, err := postgresConfig(text)
	if err != nil {
		return "PostgreSQL"
	}
	return placeOf(config)
}

func placeOf(config *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(config.User), Path: "/" + config.Database}
	if strings.HasPrefix(config.Host, "/") {
		u.RawQuery = "host=" + config.Host
	} else {
		u.Host = net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	}
	return u.String()
}

// settings of a connection that the URL does not make.
func withSettings(config *pgx.ConnConfig, settings map[string]string) *pgx.ConnConfig {
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

// postgresWriter returns a pool of one connection, to a server that takes writes.
func postgresWriter(config *pgx.ConnConfig) *sql.DB {
	config = withSettings(config, map[string]string{
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

// postgresReaders returns a pool of connections that only read.
func postgresReaders(config *pgx.ConnConfig) *sql.DB {
	config = withSettings(config, map[string]string{
		"application_name":              "parley",
		"statement_timeout":             milliseconds(readTime),
		"default_transaction_read_only": "on",
	})
	if config.ValidateConnect == nil {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	return postgresPool(config, readers, readTime)
}

func postgresPool(config *pgx.ConnConfig, n int, most time.Duration) *sql.DB {
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

// postgresFault returns how PostgreSQL failed, faultNone for other errors.
func postgresFault(err error) fault {
	if _, ok := errors.AsType[*unknownError](err); ok {
		return faultUnknown
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return faultOfState(e.Code)
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() && !contextual(err) {
		return faultStalled
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || isLost(err) {
		return faultUnreachable
	}
	return faultNone
}

// isLost reports whether a connection has ended.
func isLost(err error) bool {
	_, network := errors.AsType[*net.OpError](err)
	return network || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}

// sqlStates are the codes of PostgreSQL (its documentation, appendix A) that are faults, or the classes
// of them.
var sqlStates = map[string]fault{
	"08":    faultUnreachable, // connection
	"57P":   faultUnreachable, // it stops, has crashed, or starts
	"25006": faultStandby,
	"53100": faultFull,
	"53200": faultCrowded, // no memory
	"53300": faultCrowded, // no connections
	"53400": faultCrowded,
	"40001": faultConflict,
	"40P01": faultConflict,
	"55P03": faultStalled,  // a lock was not had in time
	"57014": faultStalled,  // the statement took too long
	"25P03": faultConflict, // the transaction was idle for too long: others needed its lock
	"28":    faultRefused,  // who are you?
	"3D000": faultRefused,  // no such database
	"42501": faultRefused,
	"XX001": faultCorrupt,
	"XX002": faultCorrupt,
	"58":    faultIO,
}

// faultOfState returns what a code means: of several entries the longest counts.
func faultOfState(code string) fault {
	for n := len(code); n >= 2; n-- {
		if f, ok := sqlStates[code[:n]]; ok {
			return f
		}
	}
	return faultNone
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
