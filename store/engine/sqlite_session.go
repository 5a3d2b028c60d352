package engine

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// FileSession sends BEGIN and COMMIT itself: after a failed COMMIT database/sql would forget the
// transaction while the connection is still in it.
type FileSession struct {
	Base    *Database
	Watched Watched
	Marked  bool // as open in the file
}

// Begin also marks the file as open, with the first transaction.
func (s *FileSession) Begin(t *Tx) error {
	if _, err := s.Base.Writer.ExecResult("BEGIN IMMEDIATE"); err != nil || s.Marked {
		return err
	}
	return s.markOpen(t)
}

// Commit syncs the log.
func (s *FileSession) Commit(*Tx) error {
	if _, err := s.Base.Writer.ExecResult("COMMIT"); err != nil {
		return err
	}
	s.Marked = true
	return nil
}

// Rollback does nothing when SQLite has already rolled back by itself.
func (s *FileSession) Rollback() { _, _ = s.Base.Writer.Exec("ROLLBACK") }

// Spoiled reports false: a statement that fails undoes nothing else.
func (s *FileSession) Spoiled() bool { return false }

// Watch returns nil: nobody else writes.
func (s *FileSession) Watch() error { return nil }

// Follow does nothing: nobody else writes.
func (s *FileSession) Follow(func(Querier, int64, int64) (int64, error)) {}

// Confirm looks at the names of the files, if that is some time ago.
func (s *FileSession) Confirm() error {
	if err := s.Base.Safety.Refusal(); err == nil && time.Since(s.Watched.Looked) < WatchEvery {
		return nil
	}
	s.Watched.Looked = time.Now()
	if err := s.Watched.Look(); err != nil {
		return err
	}
	if s.Watched.isCut() {
		return s.Base.Condemn("it was cut while parley ran")
	}
	return nil
}

// Close closes the files.
func (s *FileSession) Close() error {
	s.markClosed()
	return s.Base.closePools()
}

// OpenFact is stored in the table facts from the first write after Open until Close. When Open finds it,
// the last writer did not stop cleanly. The transaction of the first change stores it,
// so it costs no commit.
const OpenFact = "open"

// LeftOpen reports whether the last writer did not close the database. The table must
// exist, as it does in a database that needs no migration.
func LeftOpen(ctx context.Context, db *sql.DB) (left bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*) > 0 FROM facts WHERE name = ?`, OpenFact).Scan(&left)
	return left, err
}

func (s *FileSession) markOpen(t *Tx) error {
	if _, err := t.Exec(fmt.Sprintf(`PRAGMA application_id = %d`, int32(s.Base.Progress.Last.ID))); err != nil {
		return err
	}
	_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, 'true') ON CONFLICT (name) DO NOTHING`, OpenFact)
	return err
}

// markClosed removes what markOpen stored. The writing goroutine must have ended. When it
// fails, the next Open checks the database.
func (s *FileSession) markClosed() {
	if !s.Marked {
		return
	}
	if _, err := s.Base.Writer.Exec(`DELETE FROM facts WHERE name = ?`, OpenFact); err != nil {
		s.Base.Log.Warn("the database could not be marked as closed", "error", err)
	}
}
