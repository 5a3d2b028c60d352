package engine

import (
	"context"
	"database/sql"
	"strings"
	"sync"

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
