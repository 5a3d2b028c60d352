package engine

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"strings"
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

// Copied is a table whose rows are copied, in the order of its key.
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

// moveChunk is how many rows are copied in one transaction.
const moveChunk = 500

// Copy copies the rows that the target lacks. What it has is the beginning of them.
func (t *Copied) Copy(ctx context.Context, from, to Side) error {
	columns, err := to.columns(ctx, t.Name)
	if err != nil {
		return err
	}
	after, err := t.last(ctx, to)
	if err != nil {
		return err
	}

	for {
		rows, err := t.read(ctx, from, columns, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := t.write(ctx, to, columns, rows); err != nil {
			return err
		}
		after = keyOf(rows[len(rows)-1], columns, t.Key)
	}
}

// columns returns the columns of a table.
func (s Side) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.Rows.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}

// keyOf returns the key of a row.
func keyOf(row []any, columns, key []string) []any {
	var values []any
	for _, name := range key {
		for i, column := range columns {
			if column == name {
				values = append(values, row[i])
			}
		}
	}
	return values
}

// last returns the key of the last row that the target has, nil for none.
func (t *Copied) last(ctx context.Context, to Side) ([]any, error) {
	rows, err := to.texts(ctx, `SELECT `+strings.Join(t.Key, `, `)+` FROM `+t.Name+t.where()+
		` ORDER BY `+strings.Join(t.Key, ` DESC, `)+` DESC LIMIT 1`, len(t.Key))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func (t *Copied) where() string {
	if t.Which == "" {
		return ` WHERE 1 = 1`
	}
	return ` WHERE ` + t.Which
}

// read reads the next rows after a key, nil for the first.
func (t *Copied) read(ctx context.Context, from Side, columns []string, after []any) ([][]any, error) {
	key := strings.Join(t.Key, `, `)
	query := `SELECT ` + strings.Join(columns, `, `) + ` FROM ` + t.Name + t.where()
	if after != nil {
		query += ` AND (` + key + `) > (` + marks(len(t.Key)) + `)`
	}
	return from.texts(ctx, query+` ORDER BY `+key+` LIMIT ?`, len(columns), append(after, int64(moveChunk))...)
}

func marks(n int) string { return strings.Repeat(`?, `, n-1) + `?` }

// texts reads rows of n columns.
func (s Side) texts(ctx context.Context, query string, n int, args ...any) (list [][]any, err error) {
	rows, err := s.Rows.QueryContext(ctx, s.SQL.Bound(query), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		values, to := make([]any, n), make([]any, n)
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		list = append(list, values)
	}

	return list, rows.Err()
}

// write adds rows in one transaction.
func (t *Copied) write(ctx context.Context, to Side, columns []string, rows [][]any) error {
	tx, err := to.Pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	into, err := tx.PrepareContext(ctx, to.SQL.Bound(`INSERT INTO `+t.Name+` (`+strings.Join(columns, `, `)+`) VALUES (`+
		marks(len(columns))+`)`))
	if err != nil {
		return err
	}
	defer into.Close()

	for _, row := range rows {
		if _, err := into.ExecContext(ctx, valid(row)...); err != nil {
			return err
		}
	}

	return tx.Commit()
}

// valid returns the values of a row with texts that every database holds.
func valid(row []any) []any {
	values := make([]any, len(row))
	for i, value := range row {
		if text, ok := value.(string); ok {
			value = ValidText(text)
		}
		values[i] = value
	}
	return values
}

// Sum returns a checksum over all rows, and their number.
func (t *Copied) Sum(ctx context.Context, s Side) (sum string, n int64, err error) {
	columns, err := s.columns(ctx, t.Name)
	if err != nil {
		return "", 0, err
	}
	slices.Sort(columns) // the two databases have them in different orders

	h := sha256.New()
	for after := []any(nil); ; {
		rows, err := t.read(ctx, s, columns, after)
		if err != nil || len(rows) == 0 {
			return hex.EncodeToString(h.Sum(nil)), n, err
		}
		for _, row := range rows {
			addRow(h, row)
		}
		n += int64(len(rows))
		after = keyOf(rows[len(rows)-1], columns, t.Key)
	}
}

// addRow adds a row to a sum over a table. Texts count as PostgreSQL holds them.
func addRow(sum hash.Hash, values []any) {
	for _, value := range values {
		switch v := value.(type) {
		case nil:
			value = "null"
		case string:
			text := ValidText(v)
			value = fmt.Sprintf("t%d:%s", len(text), text)
		case []byte:
			value = fmt.Sprintf("b%d:%x", len(v), v)
		}
		fmt.Fprint(sum, value, "\x00")
	}
}
