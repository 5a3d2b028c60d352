package engine

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"
)

// maxStatements is how many statements are kept. The package has fewer; what is beyond it
// are lists of different lengths.
const maxStatements = 200

// Statements is a connection or a pool of them that keeps the statements it runs: SQLite
// takes as long to read the text of a short one as to run it. Calls are not interrupted:
// a connection that was interrupted is of no use to the next caller.
type Statements struct {
	gorm.ConnPool

	mu   sync.RWMutex // held for reading while a statement is begun
	kept map[string]*sql.Stmt
}

// boundLimit spells a bound limit so that SQLite does not look at its value: it would plan for that value,
// and read the statement again each time that another one is bound, at four times the cost of a short one.
var boundLimit = strings.NewReplacer("LIMIT ?", "LIMIT +?")

func KeepStatements(pool gorm.ConnPool) *Statements {
	return &Statements{ConnPool: pool, kept: map[string]*sql.Stmt{}}
}

// ExecContext runs a statement that returns no rows.
func (s *Statements) ExecContext(ctx context.Context, text string, args ...any) (res sql.Result, err error) {
	err = s.with(ctx, text, func(ctx context.Context, stmt *sql.Stmt) error {
		res, err = stmt.ExecContext(ctx, args...)
		return err
	})
	return res, err
}

// QueryContext runs a statement that returns rows.
func (s *Statements) QueryContext(ctx context.Context, text string, args ...any) (rows *sql.Rows, err error) {
	err = s.with(ctx, text, func(ctx context.Context, stmt *sql.Stmt) error {
		rows, err = stmt.QueryContext(ctx, args...)
		return err
	})
	return rows, err
}

// with prepares a statement, unless it is kept, and uses it.
func (s *Statements) with(ctx context.Context, text string, use func(context.Context, *sql.Stmt) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)

	for {
		s.mu.RLock()
		if stmt, ok := s.kept[text]; ok {
			defer s.mu.RUnlock()
			return use(ctx, stmt)
		}
		s.mu.RUnlock()

		stmt, err := s.PrepareContext(ctx, boundLimit.Replace(text))
		if err != nil {
			return err
		}
		s.keep(text, stmt)
	}
}

// keep keeps a statement, in place of another if there are too many.
func (s *Statements) keep(text string, stmt *sql.Stmt) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if _, ok := s.kept[text]; ok {
		_ = stmt.Close() // another caller was faster
		return
	}
	for other, old := range s.kept {
		if len(s.kept) < maxStatements {
			break
		}
		delete(s.kept, other)
		_ = old.Close()
	}

	s.kept[text] = stmt
}

// Close forgets all statements. Those of a single connection would keep it open.
func (s *Statements) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, stmt := range s.kept {
		delete(s.kept, text)
		_ = stmt.Close()
	}
}

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
