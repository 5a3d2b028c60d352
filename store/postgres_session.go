package store

import (
	"context"
	"database/sql"
	"errors"
	"parley/store/engine"
	"time"
)

// postgresSession takes a connection for each transaction, so that a broken one is replaced.
//
// Every transaction locks the row of workspace first, and reads from it which numbers come next. So
// one transaction writes at a time, whoever else has the database open, and numbers are given in the
// order of commits, without holes: one that is rolled back has used none. The row also says when the
// hosts have changed. A daemon that is not its host any more cannot write.
type postgresSession struct {
	*database
	config *engine.ServerConfig
	host   string
	holder string
	epoch  int64 // of the host, given to this daemon
	seen   int64 // the workspace's epoch when that was looked up last

	rows    engine.PostgresRows
	renewed time.Time // when the lease was renewed last

	began    workspaceRow // the row when the transaction began
	followed followed
}

// workspaceRow is the locked row.
type workspaceRow struct {
	MessageSeq, EventSeq, Epoch int64
	Transaction                 string
}

func (s *postgresSession) begin(t *tx) error {
	conn, err := s.writerPool.Conn(context.Background()) // the times of a connection bound it
	if err != nil {
		return err
	}
	s.rows.ConnPool, s.rows.Failed = conn, false
	if _, err := s.writer.Exec("BEGIN"); err != nil {
		return err
	}

	if err := s.safety.Refusal(); err != nil {
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
	s.began, t.Next = row, engine.Numbers{Row: row.MessageSeq + 1, Event: row.EventSeq + 1}

	return s.catchUp(t)
}

// commit stores the numbers that were given. When the connection ends in the middle of it, it asks
// the server whether the transaction was committed.
func (s *postgresSession) commit(t *tx) error {
	if s.spoiled() { // COMMIT would roll it back, and not say so
		return errors.New("a statement of the transaction had failed")
	}
	if t.Next.Row != s.began.MessageSeq+1 || t.Next.Event != s.began.EventSeq+1 {
		if err := s.number(t); err != nil {
			return err
		}
	}

	_, err := s.writer.Exec("COMMIT")
	s.giveBack()
	if err == nil {
		s.wroteUpTo(t.Next.Event - 1)
	}
	if err == nil || engine.PostgresFault(err) == engine.FaultNone {
		return err
	}
	switch status := s.outcome(s.began.Transaction); status {
	case "committed":
		s.wroteUpTo(t.Next.Event - 1)
		return nil
	case "aborted":
		return err
	default:
		return &engine.UnknownError{Cause: err}
	}
}

// number stores the numbers that were given, and rings the doorbell of the other hosts.
func (s *postgresSession) number(t *tx) error {
	set := `UPDATE workspace SET message_seq = ?, event_seq = ? WHERE one = 1`
	args := []any{t.Next.Row - 1, t.Next.Event - 1}
	if len(s.hosts.Load().Hosts) > 1 {
		said, of := s.nouns.ring(t)
		set, args = set+` RETURNING pg_notify(?, `+said+`)`, append(append(args, s.doorbell.Channel), of...)
	}
	_, err := t.Exec(set, args...)
	return err
}

// outcomeTime is how long outcome asks.
const outcomeTime = 15 * time.Second

// outcome returns what became of a transaction whose connection has ended: committed, aborted, or ""
// if the server cannot be asked for long.
func (s *postgresSession) outcome(transaction string) string {
	for begun := time.Now(); time.Since(begun) < outcomeTime; <-time.After(engine.RetryPause) {
		var status sql.NullString
		err := s.writerPool.QueryRowContext(context.Background(),
			`SELECT pg_xact_status(CAST(CAST($1 AS text) AS xid8))`, transaction).Scan(&status)
		if err == nil && status.Valid && status.String != "in progress" {
			return status.String
		}
	}
	s.log.Error("whether the last transaction was committed is not known", "transaction", transaction)
	return ""
}

func (s *postgresSession) rollback() {
	if s.rows.ConnPool == nil {
		return
	}
	_, _ = s.writer.Exec("ROLLBACK") // a connection that is still in a transaction is not used again
	s.giveBack()
}

// giveBack returns the connection to its pool, which drops a broken one.
func (s *postgresSession) giveBack() {
	if conn, ok := s.rows.ConnPool.(*sql.Conn); ok {
		_ = conn.Close() // what was committed stays so
	}
	s.rows.ConnPool = nil
}

func (s *postgresSession) spoiled() bool { return s.rows.Failed }
