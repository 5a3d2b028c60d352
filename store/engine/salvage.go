package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/internal/disk"
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

// ProgressPath returns the path of the file that says how far a database was.
func ProgressPath(path string) string { return path + ".progress" }

// SQLite drops what follows the first damaged page of its write-ahead log, without a word, and begins a new database
// where one is missing. So the store writes down outside of the database how far it was when it last acknowledged
// something, and compares the two before it opens it. The file is not synced: the commit before it was, and an older
// number than the true one gives no false alarm.

// Progress is how far a database is: the highest numbers that it has given.
type Progress struct{ Event, Row int64 }

// Noted is what the store writes down about a database.
type Noted struct {
	Progress
	ID uint32 // of the database; 0 if it has none yet
}

// notedForm has a fixed length, so that a line is replaced in one write. Earlier versions wrote other fields at its
// end.
const notedForm = "%020d %020d %08x\n"

// ReadNoted reads what was written down, nothing if there is no such file.
func ReadNoted(path string) (n Noted, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return n, disk.IgnoreMissing(err)
	}
	read, _ := fmt.Sscanf(string(text), notedForm, &n.Event, &n.Row, &n.ID)
	if read < 2 {
		return Noted{}, nil // half a line tells nothing
	}
	return n, nil
}

// LastEvent returns the highest number that an event ever had, 0 for none.
func LastEvent(ctx context.Context, db *sql.DB) (last int64, err error) {
	err = db.QueryRowContext(ctx, SQLite.LastEvent).Scan(&last)
	return last, err
}

// IDOf returns the id that tells a database from others, 0 if it has none. It is in the first page, which is in a log
// too as soon as the database grows.
func IDOf(ctx context.Context, db *sql.DB) (id uint32, err error) {
	var signed int32
	err = db.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&signed)
	return uint32(signed), err
}

// ProgressFile holds what was last acknowledged. Only the writing goroutine uses it.
type ProgressFile struct {
	Path   string
	Last   Noted
	Failed bool // the last write of it failed

	file *os.File // nil before the first write
}

// Begin writes down what is known of a database that is about to be written.
func (f *ProgressFile) Begin(before, n Noted) error {
	f.Last = n
	if before == n || n.Event == 0 {
		return nil
	}
	return f.Write()
}

// Advance writes down that a transaction is about to be acknowledged. Zeros say that it gave no
// such number.
func (f *ProgressFile) Advance(event, row int64) error {
	if event == 0 || f.Path == "" {
		return nil
	}
	f.Last.Event = event
	if row > 0 {
		f.Last.Row = row
	}
	return f.Write()
}

// Write writes it down again.
func (f *ProgressFile) Write() (err error) {
	if f.file == nil {
		if f.file, err = os.OpenFile(f.Path, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			return err
		}
	}
	n := &f.Last
	_, err = f.file.WriteAt(fmt.Appendf(nil, notedForm, n.Event, n.Row, n.ID), 0)
	return err
}

// Close closes the file.
func (f *ProgressFile) Close() {
	if f.file != nil {
		_ = f.file.Close() // nothing is left to be written
	}
}
