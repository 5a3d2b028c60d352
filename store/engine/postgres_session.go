package engine

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// ServerSession takes a connection for each transaction, so that a broken one is replaced.
//
// Every transaction locks the row of workspace first, and reads from it which numbers come next. So
// one transaction writes at a time, whoever else has the database open, and numbers are given in the
// order of commits, without holes: one that is rolled back has used none. The row also says when the
// hosts have changed. A daemon that is not its host any more cannot write.
type ServerSession struct {
	Base    *Database
	Config  *ServerConfig
	Holder  string // names this daemon
	Version int64  // of the newest schema that it knows
	Team    Team

	Epoch int64 // of the host, given to this daemon
	seen  int64 // the workspace's epoch when that was looked up last

	rows    PostgresRows
	renewed time.Time // when the lease was renewed last

	began    workspaceRow // the row when the transaction began
	followed followed
}

// Team keeps which hosts share the database.
type Team interface {
	// Meet reads the hosts again. It reports whether this host has the epoch still; else nothing is kept.
	Meet(q Querier, epoch int64) (still bool, err error)
	// Miss notes which of these hosts are away, and since when. All others are at work.
	Miss(away map[string]time.Time)
	// Size returns how many hosts there were when they were read last.
	Size() int
}

// NewServerSession returns the way to a database of PostgreSQL for a host of this name.
func NewServerSession(d *Database, config *ServerConfig, host string) *ServerSession {
	d.Path, d.Host, d.SQL, d.Lease = ServerPlace(config), host, &Postgres, &Lease{}
	d.Doorbell.Prepare(host)
	return &ServerSession{Base: d, Config: config}
}

// Connect opens the pools. It asks nothing yet.
func (s *ServerSession) Connect() (err error) {
	s.Base.WriterPool, s.Base.ReaderPool = PostgresWriter(s.Config), PostgresReaders(s.Config)
	if s.Base.Writer, err = s.Base.SQL.Over(&s.rows); err != nil {
		return err
	}
	s.Base.Reader, err = s.Base.SQL.Over(&PostgresRows{ConnPool: s.Base.ReaderPool, Outage: &s.Base.Outage})
	return err
}

// Meet reads how far the database is, and which hosts there are. This daemon must be one: see Take.
func (s *ServerSession) Meet(ctx context.Context) error {
	var last int64
	if err := s.Base.WriterPool.QueryRowContext(ctx, Postgres.LastEvent).Scan(&last); err != nil {
		return err
	}
	s.Base.Events.Begin(last)
	s.followed.last = last

	var id string
	if err := s.Base.Reading(ctx).Query(&id, `SELECT id FROM workspace`); err != nil {
		return err
	}
	s.Base.Doorbell.Channel = ChannelOf(id)

	still, err := s.Team.Meet(s.Base.Reading(ctx), s.Epoch)
	if err == nil && !still {
		err = s.lose()
	}
	return err
}

type workspaceRow struct {
	MessageSeq, EventSeq, Epoch int64
	Transaction                 string
}

// Begin locks the row of workspace, and takes what other hosts have written before.
func (s *ServerSession) Begin(t *Tx) error {
	conn, err := s.Base.WriterPool.Conn(context.Background()) // the times of a connection bound it
	if err != nil {
		return err
	}
	s.rows.ConnPool, s.rows.Failed = conn, false
	if _, err := s.Base.Writer.Exec("BEGIN"); err != nil {
		return err
	}

	if err := s.Base.Safety.Refusal(); err != nil {
		return err
	}
	var row workspaceRow
	if err := t.Query(&row, `SELECT message_seq, event_seq, epoch, CAST(pg_current_xact_id() AS text) AS transaction
		FROM workspace WHERE one = 1 FOR UPDATE`); err != nil {
		return err
	}
	if row.Epoch != s.seen {
		if err := s.isHost(t, row.Epoch); err != nil {
			return err
		}
	}
	s.began, t.Next = row, Numbers{Row: row.MessageSeq + 1, Event: row.EventSeq + 1}

	return s.catchUp(t)
}

// Commit stores the numbers that were given. When the connection ends in the middle of it, it asks
// the server whether the transaction was committed.
func (s *ServerSession) Commit(t *Tx) error {
	if s.Spoiled() { // COMMIT would roll it back, and not say so
		return errors.New("a statement of the transaction had failed")
	}
	if t.Next.Row != s.began.MessageSeq+1 || t.Next.Event != s.began.EventSeq+1 {
		if err := s.number(t); err != nil {
			return err
		}
	}

	_, err := s.Base.Writer.Exec("COMMIT")
	s.giveBack()
	if err == nil {
		s.wroteUpTo(t.Next.Event - 1)
	}
	if err == nil || PostgresFault(err) == FaultNone {
		return err
	}
	switch status := s.outcome(s.began.Transaction); status {
	case "committed":
		s.wroteUpTo(t.Next.Event - 1)
		return nil
	case "aborted":
		return err
	default:
		return &UnknownError{Cause: err}
	}
}

// number stores the numbers that were given, and rings the doorbell of the other hosts.
func (s *ServerSession) number(t *Tx) error {
	set := `UPDATE workspace SET message_seq = ?, event_seq = ? WHERE one = 1`
	args := []any{t.Next.Row - 1, t.Next.Event - 1}
	if s.Team.Size() > 1 {
		said, of := s.Base.Nouns.Ring(t)
		set, args = set+` RETURNING pg_notify(?, `+said+`)`, append(append(args, s.Base.Doorbell.Channel), of...)
	}
	_, err := t.Exec(set, args...)
	return err
}

// outcomeTime is how long outcome asks.
const outcomeTime = 15 * time.Second

// outcome returns what became of a transaction whose connection has ended: committed, aborted, or ""
// if the server cannot be asked for long.
func (s *ServerSession) outcome(transaction string) string {
	for begun := time.Now(); time.Since(begun) < outcomeTime; <-time.After(RetryPause) {
		var status sql.NullString
		err := s.Base.WriterPool.QueryRowContext(context.Background(),
			`SELECT pg_xact_status(CAST(CAST($1 AS text) AS xid8))`, transaction).Scan(&status)
		if err == nil && status.Valid && status.String != "in progress" {
			return status.String
		}
	}
	s.Base.Log.Error("whether the last transaction was committed is not known", "transaction", transaction)
	return ""
}

// Rollback gives the connection back.
func (s *ServerSession) Rollback() {
	if s.rows.ConnPool == nil {
		return
	}
	_, _ = s.Base.Writer.Exec("ROLLBACK") // a connection that is still in a transaction is not used again
	s.giveBack()
}

// giveBack returns the connection to its pool, which drops a broken one.
func (s *ServerSession) giveBack() {
	if conn, ok := s.rows.ConnPool.(*sql.Conn); ok {
		_ = conn.Close() // what was committed stays so
	}
	s.rows.ConnPool = nil
}

// Spoiled reports whether a statement has failed, as every later one of the transaction would.
func (s *ServerSession) Spoiled() bool { return s.rows.Failed }
