package engine

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"parley/internal/disk"
)

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
