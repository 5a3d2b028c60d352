package store

import (
	"database/sql"
	"strings"
)

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

// insertInto returns the statement that adds rows to a table.
func (c columns[Row]) insertInto(table string, rows int) string {
	row := `(` + strings.Repeat("?, ", len(c)-1) + `?)`
	return `INSERT INTO ` + table + ` (` + c.names() + `) VALUES ` + row + strings.Repeat(`, `+row, rows-1)
}

// values returns what the columns of a row hold.
func (c columns[Row]) values(row *Row) []any { return c.appendValues(make([]any, 0, len(c)), row) }

func (c columns[Row]) appendValues(values []any, row *Row) []any {
	for i := range c {
		values = append(values, c[i].value(row))
	}
	return values
}

// insert adds rows to a table, as many in one statement as the database gains by. It halves that
// until the rows are enough for it, so that there are few different statements.
func insert[Row any](t *tx, table string, c columns[Row], rows ...Row) error {
	into, n := "", t.sql.rowsAtOnce
	for len(rows) > 0 {
		for ; n > len(rows); n /= 2 {
			into = ""
		}
		if into == "" {
			into = c.insertInto(table, n)
		}

		values := make([]any, 0, n*len(c))
		for i := range rows[:n] {
			values = c.appendValues(values, &rows[i])
		}
		if _, err := t.execRow(into, values...); err != nil {
			return err
		}
		rows = rows[n:]
	}

	return nil
}

// number returns the next message's number. There is one writer, so it can count.
func (t *tx) number() (int64, error) {
	if t.nextSeq == 0 {
		scan := func(rows *sql.Rows) error { return rows.Scan(&t.nextSeq) }
		if err := t.queryRows(scan, lastMessage); err != nil {
			return 0, err
		}
		t.nextSeq++
	}
	t.nextSeq++
	return t.nextSeq - 1, nil
}
