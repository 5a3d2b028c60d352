package engine

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Salvage reads all rows of a damaged database that can be read into a new one. It needs none of the indexes. A row is
// read again from wherever SQLite can begin: behind the rows that it cannot read, and from the end of a table.
type Salvage struct {
	From *sql.DB
	To   *sql.Tx
}

// salvaged is a table of the new database.
type salvaged struct {
	name    string
	columns []string
	key     []string // of the primary key; the number of a row if it has none
	numbers bool     // the first column of the key holds numbers
}

// Run reads all tables, and returns the names of those of which rows may be missing.
func (s Salvage) Run(ctx context.Context) (torn []string, err error) {
	tables, err := salvagedTables(ctx, s.To)
	for i := range tables {
		s.keepKnown(ctx, &tables[i])
		whole, err := s.table(ctx, &tables[i])
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", tables[i].name, err)
		}
		if !whole {
			torn = append(torn, tables[i].name)
		}
	}
	return torn, err
}

// salvagedTables describes the tables that hold what cannot be made again.
func salvagedTables(ctx context.Context, tx *sql.Tx) (tables []salvaged, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT t.name, t.wr, c.name, c.type, c.pk
		FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
		WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'goose_db_version'
		ORDER BY t.name, c.pk, c.cid`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	for rows.Next() {
		var table, column, kind string
		var rowless bool
		var key int
		if err := rows.Scan(&table, &rowless, &column, &kind, &key); err != nil {
			return nil, err
		}
		if len(tables) == 0 || tables[len(tables)-1].name != table {
			tables = append(tables, salvaged{name: table})
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, column)
		switch {
		case !rowless:
			t.key, t.numbers = []string{"rowid"}, true
		case key > 0:
			t.numbers = t.numbers || key == 1 && kind == "INTEGER"
			t.key = append(t.key, column)
		}
	}

	return tables, rows.Err()
}

// keepKnown drops the columns that the damaged database does not have: it can be one of an older version. Where its
// description cannot be read, all are tried.
func (s Salvage) keepKnown(ctx context.Context, t *salvaged) {
	rows, err := s.From.QueryContext(ctx, `SELECT name FROM pragma_table_info(?)`, t.name)
	if err != nil {
		return
	}
	defer rows.Close()

	var has []string
	for rows.Next() {
		var name string
		if rows.Scan(&name) != nil {
			return
		}
		has = append(has, name)
	}
	if rows.Err() == nil && len(has) > 0 {
		t.columns = slices.DeleteFunc(t.columns, func(c string) bool { return !slices.Contains(has, c) })
	}
}

// query selects rows in the order of the key, or against it. The first column is that of the key.
func (t *salvaged) query(where, direction string) string {
	return `SELECT ` + t.key[0] + `, ` + strings.Join(t.columns, `, `) + ` FROM ` + t.name + ` NOT INDEXED ` + where +
		` ORDER BY ` + strings.Join(t.key, direction+`, `) + direction
}

// table reads one table, and reports whether all of it could be read.
func (s Salvage) table(ctx context.Context, t *salvaged) (whole bool, err error) {
	into, err := s.To.PrepareContext(ctx, `INSERT OR IGNORE INTO `+t.name+` (`+strings.Join(t.columns, `, `)+`) VALUES (`+
		marks(len(t.columns))+`)`)
	if err != nil {
		return false, err
	}
	defer into.Close()

	add := func(row []any) error {
		_, err := into.ExecContext(ctx, row[1:]...)
		return err
	}
	if t.numbers {
		return s.numbered(ctx, t, add)
	}

	whole, err = s.read(ctx, add, t.query(``, ``))
	if err == nil && !whole {
		_, err = s.read(ctx, add, t.query(``, ` DESC`))
	}

	return whole, err
}

// numbered reads a table whose rows have numbers.
func (s Salvage) numbered(ctx context.Context, t *salvaged, add func([]any) error) (whole bool, err error) {
	last := int64(-1)
	note := func(row []any) error {
		last, _ = row[0].(int64)
		return add(row)
	}

	for whole = true; ; whole = false {
		done, err := s.read(ctx, note, t.query(`WHERE `+t.key[0]+` > ?`, ``), last)
		if err != nil || done {
			return whole, err
		}

		next, found, err := s.behind(ctx, t, last)
		if err != nil || !found {
			return false, err
		}
		if _, err := s.read(ctx, add, t.query(`WHERE `+t.key[0]+` <= ?`, ` DESC`), next); err != nil {
			return false, err
		}
		last = next
	}
}

// read passes the rows of a query on, up to the first that cannot be read, and reports whether there is none such.
func (s Salvage) read(ctx context.Context, add func([]any) error, query string, args ...any) (whole bool, err error) {
	rows, err := s.From.QueryContext(ctx, query, args...)
	if CodeOf(err) == CodeUnknown {
		return false, nil // the description of the table cannot be read
	}
	if err != nil {
		return false, unreadable(err)
	}
	defer rows.Close()

	columns, err := rows.Columns()
	if err != nil {
		return false, err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return false, err
		}
		if err := add(values); err != nil {
			return false, err
		}
	}

	return rows.Err() == nil, unreadable(rows.Err())
}

// unreadable drops the errors that say that something cannot be read.
func unreadable(err error) error {
	switch FaultOf(err) {
	case FaultCorrupt, FaultForeign, FaultIO:
		return nil
	}
	return err
}

// behind returns a number behind those of rows that cannot be read, from which on SQLite can read again. The row after
// last cannot be read.
func (s Salvage) behind(ctx context.Context, t *salvaged, last int64) (next int64, found bool, err error) {
	query := t.query(`WHERE `+t.key[0]+` > ?`, ``) + ` LIMIT 1`
	reads := func(n int64) (bool, error) {
		return s.read(ctx, func([]any) error { return nil }, query, n)
	}

	const farthest = 1 << 40
	for step := int64(1); !found && step < farthest; step *= 2 {
		next = last + step
		if found, err = reads(next); err != nil {
			return 0, false, err
		}
	}

	for found && last+1 < next { // nothing can be read from the first, and something from the second
		middle := last + (next-last)/2
		ok, err := reads(middle)
		if err != nil {
			return 0, false, err
		}
		if ok {
			next = middle
		} else {
			last = middle
		}
	}

	return next, found, nil
}

// Fill takes rows from a copy of the database that are missing in some tables.
func (s Salvage) Fill(ctx context.Context, path string, torn []string) error {
	pool, err := OpenCopy(path)
	if err != nil {
		return err
	}
	defer pool.Close()

	tables, err := salvagedTables(ctx, s.To)
	if err != nil {
		return err
	}
	for i := range tables {
		if slices.Contains(torn, tables[i].name) {
			if _, err := (Salvage{pool, s.To}).table(ctx, &tables[i]); err != nil {
				return err
			}
		}
	}

	return nil
}

// Reference is a column that names a row of another table.
type Reference struct{ Table, Column, Parent, key string }

// Dangling is a condition on the rows that refer to nothing.
func (r *Reference) Dangling() string {
	return fmt.Sprintf(`%s NOT IN (SELECT %s FROM %s)`, r.Column, r.key, r.Parent)
}

// Join makes the rows refer to rows again that are there: it removes what belongs to nothing, unless invent returns a
// statement that adds what is lost.
func (s Salvage) Join(ctx context.Context, invent func(*Reference) string) error {
	references, err := s.references(ctx)
	if err != nil {
		return err
	}

	for changed := true; changed; {
		changed = false
		for i := range references {
			statement := invent(&references[i])
			if statement == "" {
				statement = `DELETE FROM ` + references[i].Table + ` WHERE ` + references[i].Dangling()
			}
			result, err := s.To.ExecContext(ctx, statement)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			changed = changed || n > 0
		}
	}

	return nil
}

func (s Salvage) references(ctx context.Context) (list []Reference, err error) {
	rows, err := s.To.QueryContext(ctx, `SELECT t.name, f."from", f."table", f."to"
		FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f WHERE t.schema = 'main' ORDER BY t.name, f.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r Reference
		if err := rows.Scan(&r.Table, &r.Column, &r.Parent, &r.key); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}
