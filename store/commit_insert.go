package store

import (
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

// maxParameters is how many values one statement carries. The driver's work
// for each grows with their number: flat to 500, twice that at 1,000, and
// thirty times at 20,000.
const maxParameters = 500

// inChunks calls use with rows as the VALUES of a statement: SQL with a parameter for
// each value, and the values. It calls it several times when one statement cannot
// carry all of them.
func (c columns[Row]) inChunks(rows []Row, use func(values string, args []any) error) error {
	one := "(" + strings.Repeat("?, ", len(c)-1) + "?)"
	for len(rows) > 0 {
		n := min(maxParameters/len(c), len(rows))
		args := make([]any, 0, n*len(c))
		for i := range n {
			for j := range c {
				args = append(args, c[j].value(&rows[i]))
			}
		}

		if err := use(strings.Repeat(one+", ", n-1)+one, args); err != nil {
			return err
		}

		rows = rows[n:]
	}

	return nil
}

// insert adds rows to a table, several with one statement.
func insert[Row any](t *tx, table string, c columns[Row], rows ...Row) error {
	into := `INSERT INTO ` + table + ` (` + c.names() + `) VALUES `
	return c.inChunks(rows, func(values string, args []any) error {
		_, err := t.exec(into+values, args...)
		return err
	})
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
