package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"parley"
)

// postgresSession takes a connection for each transaction, so that a broken one is replaced.
//
// Every transaction locks the row of workspace first, and reads from it which numbers come next. So
// one transaction writes at a time, whoever else has the database open, and numbers are given in the
// order of commits, without holes: one that is rolled back has used none. The row also says which
// daemon has the workspace. A daemon that has lost it cannot write any more.
type postgresSession struct {
	*database
	holder string
	epoch  int64

	rows    postgresRows
	renewed time.Time // when the lease was renewed last
}

// A daemon has its workspace for a time, on the database's clock, and renews that. On the same machine
// the lock of the state directory keeps a second one out, so a daemon that was killed need not wait.
const (
	leaseTime  = 15 * time.Second
	renewEvery = 5 * time.Second
)

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
	s.rows.ConnPool, s.rows.failed = conn, false
	if err := t.db.Exec("BEGIN").Error; err != nil {
		return err
	}

	var row workspaceRow
	if err := t.query(&row, `SELECT message_seq, event_seq, epoch, CAST(pg_current_xact_id() AS text) AS transaction
		FROM workspace WHERE one = 1 FOR UPDATE`); err != nil {
		return err
	}
	if row.Epoch != s.epoch {
		return s.lose()
	}
	t.began, t.nextSeq, t.nextEvent = row, row.MessageSeq+1, row.EventSeq+1

	return nil
}

// commit stores the numbers that were given. When the connection ends in the middle of it, it asks
// the server whether the transaction was committed.
func (s *postgresSession) commit(t *tx) error {
	if s.spoiled() { // COMMIT would roll it back, and not say so
		return errors.New("a statement of the transaction had failed")
	}
	if t.nextSeq != t.began.MessageSeq+1 || t.nextEvent != t.began.EventSeq+1 {
		if _, err := t.exec(`UPDATE workspace SET message_seq = ?, event_seq = ? WHERE one = 1`,
			t.nextSeq-1, t.nextEvent-1); err != nil {
			return err
		}
	}

	err := t.db.Exec("COMMIT").Error
	s.giveBack()
	if err == nil || postgresFault(err) == faultNone {
		return err
	}
	switch status := s.outcome(t.began.Transaction); status {
	case "committed":
		return nil
	case "aborted":
		return err
	default:
		return &unknownError{err}
	}
}

// unknownError says that it is not known whether a transaction was committed.
type unknownError struct{ cause error }

func (e *unknownError) Error() string { return e.cause.Error() }

// outcomeTime is how long outcome asks.
const outcomeTime = 15 * time.Second

// outcome returns what became of a transaction whose connection has ended: committed, aborted, or ""
// if the server cannot be asked for long.
func (s *postgresSession) outcome(transaction string) string {
	for begun := time.Now(); time.Since(begun) < outcomeTime; <-time.After(retryPause) {
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
	_ = s.writer.Exec("ROLLBACK").Error // a connection that is still in a transaction is not used again
	s.giveBack()
}

// giveBack returns the connection to its pool, which drops a broken one.
func (s *postgresSession) giveBack() {
	if conn, ok := s.rows.ConnPool.(*sql.Conn); ok {
		_ = conn.Close() // what was committed stays so
	}
	s.rows.ConnPool = nil
}

func (s *postgresSession) spoiled() bool { return s.rows.failed }

// confirm renews the lease when it is time.
func (s *postgresSession) confirm() error {
	if err := s.anchor.refusal(); err != nil {
		return err
	}
	if time.Since(s.renewed) < renewEvery {
		return nil
	}

	s.renewed = time.Now() // also when it fails: not in each transaction again
	res, err := s.writerPool.ExecContext(context.Background(), `UPDATE workspace
		SET lease_until = clock_timestamp() + $1 * interval '1 second' WHERE one = 1 AND epoch = $2`,
		int64(leaseTime.Seconds()), s.epoch)
	if err != nil {
		s.log.Warn("the lease of the workspace was not renewed", "error", err)
		return nil // who has the workspace is decided in each transaction
	}
	if n, err := res.RowsAffected(); err == nil && n == 0 {
		return s.lose()
	}

	return nil
}

// lose stops accepting, because another daemon has taken the workspace.
func (s *postgresSession) lose() error {
	var holder string
	_ = s.readerPool.QueryRowContext(context.Background(), `SELECT holder FROM workspace`).Scan(&holder) // for the words only
	e := parley.Errorf(parley.StorageUnavailable, "another daemon has taken the workspace in %s: %s", s.path, holder).
		With("holder", holder).
		Suggest("One daemon at a time uses a database. Stop this one (parley down), or the other and restart this one.")
	if s.anchor.lost.CompareAndSwap(nil, e) {
		s.log.Error("another daemon has taken the workspace", "holder", holder)
		s.anchor.tell("Another daemon has taken this workspace (%s), so nothing more is accepted here.", holder)
	}
	return e
}

// close gives the lease back.
func (s *postgresSession) close() error {
	_, err := s.writerPool.ExecContext(context.Background(),
		`UPDATE workspace SET lease_until = '-infinity' WHERE one = 1 AND epoch = $1`, s.epoch)
	if err != nil {
		s.log.Warn("the lease of the workspace was not given back; it ends by itself", "error", err)
	}
	return errors.Join(s.readerPool.Close(), s.writerPool.Close())
}

// take takes the workspace for this daemon, unless another has it.
func (s *postgresSession) take(ctx context.Context) error {
	if _, err := s.writerPool.ExecContext(ctx,
		`INSERT INTO workspace (one, id) VALUES (1, $1) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
		return err
	}

	err := s.writerPool.QueryRowContext(ctx, `UPDATE workspace
		SET holder = $1, epoch = epoch + 1, lease_until = clock_timestamp() + $2 * interval '1 second'
		WHERE holder = $1 OR lease_until < clock_timestamp() RETURNING epoch`,
		s.holder, int64(leaseTime.Seconds())).Scan(&s.epoch)
	if errors.Is(err, sql.ErrNoRows) {
		return s.taken(ctx)
	}
	s.renewed = time.Now()

	return err
}

// taken returns that another daemon has the workspace.
func (s *postgresSession) taken(ctx context.Context) error {
	var holder string
	var left float64
	if err := s.writerPool.QueryRowContext(ctx, `SELECT holder,
		greatest(0, extract(epoch FROM lease_until - clock_timestamp())) FROM workspace`).Scan(&holder, &left); err != nil {
		return err
	}

	return parley.Errorf(parley.StorageUnavailable, "another daemon uses the workspace in %s: %s", s.path, holder).
		With("database", s.path).With("holder", holder).
		Suggest("One daemon at a time uses a database: stop that one with parley down, or use another database. "+
			"If it is gone, try again in %d s.", int(left)+1)
}
