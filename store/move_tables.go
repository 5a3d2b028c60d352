package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"parley/store/engine"
	"slices"
	"strings"
)

// movedTable is a table whose rows are copied, in the order of its key.
type movedTable struct {
	name  string
	key   []string
	which string // a condition on the rows; "" for all
}

// movedTables are all tables in an order in which each refers only to those before it. The index of
// words is made anew.
var movedTables = []movedTable{
	{name: "agents", key: []string{"id"}},
	{name: "agent_keys", key: []string{"id"}},
	{name: "agent_log", key: []string{"id"}},
	{name: "responders", key: []string{"agent_id"}},
	{name: "threads", key: []string{"id"}},
	{name: "participants", key: []string{"thread_id", "agent_id"}},
	{name: "messages", key: []string{"seq"}},
	{name: "deliveries", key: []string{"message_seq", "recipient_id"}},
	{name: "debts", key: []string{"message_seq", "debtor_id"}},
	{name: "files", key: []string{"id"}},
	{name: "message_files", key: []string{"file_id", "message_seq"}},
	{name: "calls", key: []string{"agent_id", "idempotency_key"}},
	{name: "conversation_acts", key: []string{"seq"}},
	{name: "forgotten", key: []string{"responder_id", "other_id"}},
	{name: "model_calls", key: []string{"id"}},
	{name: "events", key: []string{"seq"}},
	{name: "transcripts", key: []string{"agent_id", "path"}},
	{name: "token_records", key: []string{"id"}},
	{name: "token_days", key: []string{"agent_id", "day", "model"}},
	{name: "facts", key: []string{"name"},
		which: `name NOT IN ('` + openFact + `', '` + movingFact + `', '` + movedFact + `', '` + idFact + `')`},
}

// moveChunk is how many rows are copied in one transaction.
const moveChunk = 500

// copy copies the rows that the target lacks. What it has is the beginning of them.
func (t *movedTable) copy(ctx context.Context, from, to side) error {
	columns, err := to.columns(ctx, t.name)
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
		after = keyOf(rows[len(rows)-1], columns, t.key)
	}
}

// columns returns the columns of a table.
func (s side) columns(ctx context.Context, table string) ([]string, error) {
	rows, err := s.rows.QueryContext(ctx, `SELECT * FROM `+table+` LIMIT 0`)
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
func (t *movedTable) last(ctx context.Context, to side) ([]any, error) {
	rows, err := to.texts(ctx, `SELECT `+strings.Join(t.key, `, `)+` FROM `+t.name+t.where()+
		` ORDER BY `+strings.Join(t.key, ` DESC, `)+` DESC LIMIT 1`, len(t.key))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

func (t *movedTable) where() string {
	if t.which == "" {
		return ` WHERE 1 = 1`
	}
	return ` WHERE ` + t.which
}

// read reads the next rows after a key, nil for the first.
func (t *movedTable) read(ctx context.Context, from side, columns []string, after []any) ([][]any, error) {
	key := strings.Join(t.key, `, `)
	query := `SELECT ` + strings.Join(columns, `, `) + ` FROM ` + t.name + t.where()
	if after != nil {
		query += ` AND (` + key + `) > (` + marks(len(t.key)) + `)`
	}
	return from.texts(ctx, query+` ORDER BY `+key+` LIMIT ?`, len(columns), append(after, int64(moveChunk))...)
}

func marks(n int) string { return strings.Repeat(`?, `, n-1) + `?` }

// texts reads rows of n columns.
func (s side) texts(ctx context.Context, query string, n int, args ...any) (list [][]any, err error) {
	rows, err := s.rows.QueryContext(ctx, s.sql.bound(query), args...)
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
func (t *movedTable) write(ctx context.Context, to side, columns []string, rows [][]any) error {
	tx, err := to.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit

	into, err := tx.PrepareContext(ctx, to.sql.bound(`INSERT INTO `+t.name+` (`+strings.Join(columns, `, `)+`) VALUES (`+
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
			value = engine.ValidText(text)
		}
		values[i] = value
	}
	return values
}

// sum returns a checksum over all rows, and their number.
func (t *movedTable) sum(ctx context.Context, s side) (sum string, n int64, err error) {
	columns, err := s.columns(ctx, t.name)
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
		after = keyOf(rows[len(rows)-1], columns, t.key)
	}
}
