package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/internal/disk"
)

// Transfer copies all rows of one database to another, and compares the two. It goes on where it was interrupted.
type Transfer struct {
	From, To Side
	Tables   []Described
	Finish   func(ctx context.Context, tx *sql.Tx) error // makes what is not copied
}

// Run copies table by table, and calls tell with each of them. It returns a *DiffersError if one is not the same then.
func (t *Transfer) Run(ctx context.Context, tell func(table string, rows int64)) error {
	for _, k := range CopiedOf(t.Tables) {
		if err := k.Copy(ctx, t.From, t.To); err != nil {
			return fmt.Errorf("copy the table %s: %w", k.Name, err)
		}

		want, n, err := k.Sum(ctx, t.From)
		if err != nil {
			return fmt.Errorf("read the table %s: %w", k.Name, err)
		}
		got, has, err := k.Sum(ctx, t.To)
		if err != nil {
			return fmt.Errorf("read the table %s again: %w", k.Name, err)
		}
		if got != want {
			return &DiffersError{k.Name, n, has}
		}
		tell(k.Name, n)
	}

	return t.finish(ctx)
}

// finish makes what is not copied, and lets the numbers go on.
func (t *Transfer) finish(ctx context.Context) error {
	tx, err := t.To.Pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	if err := t.Finish(ctx, tx); err != nil {
		return err
	}

	var last int64
	if err := t.From.Rows.QueryRowContext(ctx, t.From.SQL.LastEvent).Scan(&last); err != nil {
		return err
	}
	for _, statement := range t.To.SQL.Continues(t.Tables) {
		if _, err := tx.ExecContext(ctx, strings.ReplaceAll(statement, "LAST", fmt.Sprint(last))); err != nil {
			return err
		}
	}

	return tx.Commit()
}

// SetFact stores a fact about the database of a side that is written.
func (s Side) SetFact(ctx context.Context, name, value string) error {
	_, err := s.Pool.ExecContext(ctx, s.SQL.Bound(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`), name, value)
	return err
}

// DropFact removes a fact.
func (s Side) DropFact(ctx context.Context, name string) error {
	_, err := s.Pool.ExecContext(ctx, s.SQL.Bound(`DELETE FROM facts WHERE name = ?`), name)
	return err
}

// HasFact reports whether the database in a file has a fact.
func HasFact(ctx context.Context, path, name string) (has bool, err error) {
	pool, err := Connect(DSN(path, DefaultBusyTimeout, ReaderPragmas...), 1)
	if err != nil {
		return false, err
	}
	defer pool.Close()

	_, ours, err := Contents(ctx, pool)
	if err == nil && ours {
		err = pool.QueryRowContext(ctx, `SELECT count(*) > 0 FROM facts WHERE name = ?`, name).Scan(&has)
	}
	return has, err
}

// SetAside renames the files of a database, with an ending and the time. The file itself goes last.
func SetAside(path, ending string, now time.Time) error {
	aside := path + ending + now.UTC().Format(CopyTime)
	for _, of := range []string{"-wal", "-shm", ""} {
		if err := disk.IgnoreMissing(os.Rename(path+of, aside+of)); err != nil {
			return err
		}
	}
	return nil
}
