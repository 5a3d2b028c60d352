package store

import "strings"

// column is a column of a table and its value in a row.
type column[Row any] struct {
	name  string
	value func(*Row) any
}

// columns are those that a statement writes, in the order of its values.
type columns[Row any] []column[Row]

// names returns the columns as a list in SQL.
func (c columns[Row]) names() string {
	names := make([]string, len(c))
	for i := range c {
		names[i] = c[i].name
	}
	return strings.Join(names, ", ")
}

// insertInto returns the statement that adds one row to a table.
func (c columns[Row]) insertInto(table string) string {
	return `INSERT INTO ` + table + ` (` + c.names() + `) VALUES (` + strings.Repeat("?, ", len(c)-1) + `?)`
}

// values returns what the columns of a row hold.
func (c columns[Row]) values(row *Row) []any {
	values := make([]any, len(c))
	for i := range c {
		values[i] = c[i].value(row)
	}
	return values
}

// insert adds rows to a table. A prepared statement takes no longer for each of them than
// one that adds several at once.
func insert[Row any](t *tx, table string, c columns[Row], rows ...Row) error {
	if len(rows) == 0 {
		return nil
	}

	into := c.insertInto(table)
	for i := range rows {
		if _, _, err := t.execRow(into, c.values(&rows[i])...); err != nil {
			return err
		}
	}

	return nil
}

// number returns the next message's number. There is one writer, so it can count.
func (t *tx) number() (int64, error) {
	if t.nextSeq == 0 {
		if err := t.query(&t.nextSeq, `SELECT coalesce(max(seq), 0) + 1 FROM messages`); err != nil {
			return 0, err
		}
	}
	t.nextSeq++
	return t.nextSeq - 1, nil
}
