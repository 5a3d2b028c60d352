package store

import (
	"strings"
)

// maxParameters is how many values one statement carries. The driver's work
// for each grows with their number: flat to 500, twice that at 1,000, and
// thirty times at 20,000.
const maxParameters = 500

// insert adds rows to a table, several to a statement.
func insert[Row any](t *tx, table, columns string, rows []Row, values func(*Row) []any) error {
	return inChunks(columns, rows, values, func(sql string, args []any) error {
		_, err := t.exec("INSERT INTO "+table+" ("+columns+") VALUES "+sql, args...)
		return err
	})
}

// flushEvents writes the events of the transaction and returns the number of
// the last.
func (t *tx) flushEvents() (last int64, err error) {
	err = inChunks(eventColumns, t.events, (*eventRow).values, func(sql string, args []any) error {
		var seqs []int64
		err := t.returning(&seqs, "INSERT INTO events ("+eventColumns+") VALUES "+sql+" RETURNING seq", args...)
		for _, seq := range seqs {
			last = max(last, seq)
		}
		return err
	})
	return last, err
}

// inChunks hands on the VALUES of rows, and what stands for them in SQL, in
// pieces that one statement can carry.
func inChunks[Row any](
	columns string,
	rows []Row,
	values func(*Row) []any,
	use func(sql string, args []any) error,
) error {
	width := strings.Count(columns, ",") + 1
	one := "(" + strings.Repeat("?, ", width-1) + "?)"
	for size := maxParameters / width; len(rows) > 0; {
		n := min(size, len(rows))
		args := make([]any, 0, n*width)
		for i := range n {
			args = append(args, values(&rows[i])...)
		}

		if err := use(strings.Repeat(one+", ", n-1)+one, args); err != nil {
			return err
		}

		rows = rows[n:]
	}

	return nil
}

// number gives the next message's number: there is one writer, so it can count.
func (t *tx) number() (int64, error) {
	if t.nextSeq == 0 {
		if err := t.query(&t.nextSeq, `SELECT coalesce(max(seq), 0) + 1 FROM messages`); err != nil {
			return 0, err
		}
	}
	t.nextSeq++
	return t.nextSeq - 1, nil
}
