package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Salvage adds to a new database all rows that SQLite can read of a damaged one. It needs none of the indexes.
type Salvage struct {
	To     *sql.Tx
	Tables []Described
}

// Take adds the rows that are not there yet, and returns the names of the tables of which some cannot be read. Only
// says which tables to read, nil for all.
func (s Salvage) Take(ctx context.Context, from *sql.DB, only []string) (torn []string, err error) {
	for _, k := range CopiedOf(s.Tables) {
		if only != nil && !slices.Contains(only, k.Name) {
			continue
		}
		whole, err := s.table(ctx, from, &k)
		if err != nil {
			return nil, fmt.Errorf("read the table %s: %w", k.Name, err)
		}
		if !whole {
			torn = append(torn, k.Name)
		}
	}
	return torn, nil
}

// table reads a table up to the first page that cannot be read, and then from its end back to the last such page. It
// reports whether there is none.
func (s Salvage) table(ctx context.Context, from *sql.DB, t *Copied) (whole bool, err error) {
	for _, backwards := range []string{"0", "1"} {
		if _, err := from.ExecContext(ctx, `PRAGMA reverse_unordered_selects = `+backwards); err != nil {
			return false, err
		}
		if whole, err = s.rows(ctx, Side{SQL: &SQLite, Rows: from}, t); whole || err != nil {
			return whole, err
		}
	}
	return false, nil
}

// rows reads a table in one direction. A database of an older version lacks some columns.
func (s Salvage) rows(ctx context.Context, from Side, t *Copied) (whole bool, err error) {
	known, err := Side{SQL: &SQLite, Rows: s.To}.columns(ctx, t.Name)
	if err != nil {
		return false, err
	}
	columns, err := from.columns(ctx, t.Name)
	if err != nil {
		return false, unreadable(err)
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return !slices.Contains(known, c) })

	list := strings.Join(columns, `, `)
	into, err := s.To.PrepareContext(ctx, `INSERT OR IGNORE INTO `+t.Name+` (`+list+`) VALUES (`+marks(len(columns))+`)`)
	if err != nil {
		return false, err
	}
	defer into.Close()

	var failed error
	err = from.each(ctx, `SELECT `+list+` FROM `+t.Name+` NOT INDEXED`+t.where(), func(row []any) error {
		_, failed = into.ExecContext(ctx, row...)
		return failed
	})
	if failed != nil {
		return false, failed
	}

	return err == nil, unreadable(err)
}

// unreadable drops the errors that say that something cannot be read, also the description of a table.
func unreadable(err error) error {
	switch FaultOf(err) {
	case FaultCorrupt, FaultForeign, FaultIO:
		return nil
	}
	if CodeOf(err) == CodeUnknown {
		return nil
	}
	return err
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
	for rows.Next() {
		var r Reference
		if err := rows.Scan(&r.Table, &r.Column, &r.Parent, &r.key); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		list = append(list, r)
	}
	return list, errors.Join(rows.Err(), rows.Close())
}
