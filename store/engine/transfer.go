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

// RowReader is a connection or a pool of them.
type RowReader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Side is one of the two databases between which rows are copied.
type Side struct {
	SQL  *Dialect
	Rows RowReader
	Pool *sql.DB // for a side that is written
}

// Transfer copies all rows of one database to an empty one, in one transaction.
type Transfer struct {
	From, To Side
	Tables   []Described
	Finish   func(ctx context.Context, tx *sql.Tx) error // makes what is not copied
}

// Run copies table by table, and calls tell with each of them. It returns a *DiffersError, and copies nothing, if one
// has fewer or more rows then.
func (t *Transfer) Run(ctx context.Context, tell func(table string, rows int64)) error {
	tx, err := t.To.Pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	for _, k := range CopiedOf(t.Tables) {
		had, err := k.copy(ctx, t.From, Side{SQL: t.To.SQL, Rows: tx}, tx)
		if err != nil {
			return fmt.Errorf("copy the table %s: %w", k.Name, err)
		}
		var has int64
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM `+k.Name+k.where()).Scan(&has); err != nil {
			return fmt.Errorf("read the table %s again: %w", k.Name, err)
		}
		if had != has {
			return &DiffersError{k.Name, had, has}
		}
		tell(k.Name, had)
	}

	if err := t.Finish(ctx, tx); err != nil {
		return err
	}
	var last int64
	if err := t.From.Rows.QueryRowContext(ctx, t.From.SQL.LastEvent).Scan(&last); err != nil {
		return err
	}
	for _, statement := range t.To.SQL.Continues(t.Tables) { // the numbers go on
		if _, err := tx.ExecContext(ctx, strings.ReplaceAll(statement, "LAST", fmt.Sprint(last))); err != nil {
			return err
		}
	}

	return tx.Commit()
}

// Copied is a table whose rows are copied.
type Copied struct{ Description }

// CopiedOf returns the tables that are copied. What has no key is made again.
func CopiedOf(tables []Described) (list []Copied) {
	for _, k := range tables {
		if k := k.Describe(); len(k.Key) > 0 {
			list = append(list, Copied{k})
		}
	}
	return list
}

// copy copies all rows of the table, and returns their number. Texts become such as every database holds.
func (t *Copied) copy(ctx context.Context, from, to Side, tx *sql.Tx) (n int64, err error) {
	columns, err := to.columns(ctx, t.Name)
	if err != nil {
		return 0, err
	}
	list := strings.Join(columns, `, `)
	into, err := tx.PrepareContext(ctx, to.SQL.Bound(`INSERT INTO `+t.Name+` (`+list+`) VALUES (`+marks(len(columns))+`)`))
	if err != nil {
		return 0, err
	}
	defer into.Close()

	return n, from.each(ctx, `SELECT `+list+` FROM `+t.Name+t.where(), func(row []any) error {
		n++
		for i, value := range row {
			if text, ok := value.(string); ok {
				row[i] = ValidText(text)
			}
		}
		_, err := into.ExecContext(ctx, row...)
		return err
	})
}

func (s Side) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.Rows.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}

// each calls a function with the rows of a query, one after the other. The slice is used again.
func (s Side) each(ctx context.Context, query string, use func(row []any) error) error {
	rows, err := s.Rows.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}

	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := use(values); err != nil {
			return err
		}
	}

	return rows.Err()
}

func (t *Copied) where() string {
	if t.Which == "" {
		return ``
	}
	return ` WHERE ` + t.Which
}

func marks(n int) string { return strings.Repeat(`?, `, n-1) + `?` }

// SetFact stores a fact about the database of a side that is written.
func (s Side) SetFact(ctx context.Context, name, value string) error {
	_, err := s.Pool.ExecContext(ctx, s.SQL.Bound(`INSERT INTO facts (name, value) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`), name, value)
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
