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
	Base int64    // the event up to which the file holds everything without its log
	Log  LogSalts // of the log that was last seen; 0 if any is to be expected
	ID   uint64   // of the database; 0 if it has none yet
}

// notedForm has a fixed length, so that a line is replaced in one write. Earlier versions wrote the first two numbers.
const notedForm = "%020d %020d %020d %016x %016x\n"

// ReadNoted reads what was written down, nothing if there is no such file.
func ReadNoted(path string) (n Noted, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return n, disk.IgnoreMissing(err)
	}
	read, _ := fmt.Sscanf(string(text), notedForm, &n.Event, &n.Row, &n.Base, &n.Log, &n.ID)
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

// IDFact is the name of the fact that tells a database from others.
const IDFact = "id"

// IDOf returns the id of a database, 0 if it has none.
func IDOf(ctx context.Context, db *sql.DB) (id uint64, err error) {
	var text string
	err = db.QueryRowContext(ctx, `SELECT coalesce((SELECT value FROM facts WHERE name = ?), '')`, IDFact).Scan(&text)
	if err == nil {
		_, _ = fmt.Sscanf(text, "%x", &id) // what is no number counts as none
	}
	return id, err
}

// ProgressFile holds what was last acknowledged. Only the writing goroutine uses it.
type ProgressFile struct {
	Path   string
	Last   Noted
	Failed bool // the last write of it failed

	file   *os.File // nil before the first write
	looked int64    // the last event when the log was last looked at
}

// Begin writes down what is known of a database that is about to be written. Its next log may be any.
func (f *ProgressFile) Begin(before, n Noted) error {
	f.Last, f.looked = n, n.Event
	if before == n || n.Event == 0 {
		return nil
	}
	if err := f.Write(); err != nil {
		return err
	}
	return f.file.Sync() // what stands there now would refuse the next log
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

// Look writes down which log the database has. A log begins again when the file holds all that was in it.
func (f *ProgressFile) Look(database string) error {
	salts, err := SaltsOf(database)
	if err != nil {
		return err
	}
	before := f.looked
	f.looked = f.Last.Event
	if salts == 0 || salts == f.Last.Log || f.Last.Event == 0 {
		return nil
	}
	if f.Last.Log != 0 {
		f.Last.Base = before
	}
	f.Last.Log = salts
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
	_, err = f.file.WriteAt(fmt.Appendf(nil, notedForm, n.Event, n.Row, n.Base, n.Log, n.ID), 0)
	return err
}

// Close closes the file.
func (f *ProgressFile) Close() {
	if f.file != nil {
		_ = f.file.Close() // nothing is left to be written
	}
}
