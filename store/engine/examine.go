package engine

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"time"

	"parley/internal/disk"
)

// Before SQLite may write to a database, parley reads it, its log, and what is known of them. SQLite begins a new
// database where one is missing, drops what follows a damaged page of the log, and merges the log of another database.
// What is not whole, or behind what is known to have been there, is refused and stays as it is.

// Examiner looks at the file of a database. It changes nothing.
type Examiner struct {
	Schema
	Path   string
	Before Noted    // what was written down about it
	Known  Progress // how far it was at least
	Busy   time.Duration
	All    bool // read every page and index, in any case

	Version int64 // that it has
	Left    bool  // its last writer did not close it
}

// NewExaminer reads what is known of a database apart from its file: what was written down, and its newest copy.
func (s Schema) NewExaminer(ctx context.Context, path string, copies Copies) (*Examiner, error) {
	before, err := ReadNoted(ProgressPath(path))
	if err != nil {
		return nil, err
	}
	e := &Examiner{Schema: s, Path: path, Before: before, Known: before.Progress, Busy: time.Second}

	list, err := copies.List()
	if err != nil || len(list) == 0 {
		return e, err
	}
	if has, err := s.ProgressOfCopy(ctx, list[0].Path); err == nil && has.Event > e.Known.Event {
		e.Known = has
	}

	return e, nil
}

// Examine refuses a database that is not whole. It returns false if there is none, and none is known to have been.
func (e *Examiner) Examine(ctx context.Context) (exists bool, err error) {
	if exists, err = e.lookAtFile(); err != nil || !exists {
		return exists, err
	}

	how := "&mode=ro"
	if disk.Exists(e.Path + "-journal") { // of a copy that a killed program began to use: SQLite takes it back
		how = "&mode=rw"
	}
	pool, err := Connect(DSN(e.Path, e.Busy, ReaderPragmas...)+how, 1)
	if err != nil {
		return true, err
	}
	defer pool.Close()

	err = e.read(ctx, pool)
	if err == nil || Contextual(err) || IsVerdict(err) || FaultOf(err) == FaultLocked {
		return true, err
	}
	if verdict, bad := Check(ctx, pool); verdict != "" || FaultOf(bad) == FaultCorrupt {
		return true, &DamagedError{e.Path, err.Error()} // which need not say so
	}

	return true, err
}

// lookAtFile refuses a file that is missing or empty although something was there.
func (e *Examiner) lookAtFile() (exists bool, err error) {
	info, err := os.Stat(e.Path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return false, err
	case !missing && (info.Size() > 0 || info.IsDir()):
		f, err := os.OpenFile(e.Path, os.O_RDWR, 0) // what forbids it is not said by SQLite
		if err != nil {
			return true, err
		}
		return true, f.Close()
	case e.Known.Event == 0 && logSize(e.Path) == 0:
		return false, nil
	}

	is := "is empty"
	if missing {
		is = "is missing"
	}
	return false, e.lost(is, Progress{})
}

// lost describes a database that lacks what was acknowledged.
func (e *Examiner) lost(is string, has Progress) error {
	if e.Known.Event <= has.Event {
		return &DamagedError{e.Path, "it " + is}
	}
	return &LacksError{Path: e.Path, Is: is, Known: e.Known, Has: has}
}

// read reads what a database holds.
func (e *Examiner) read(ctx context.Context, pool *sql.DB) error {
	_, ours, err := Contents(ctx, pool)
	switch {
	case err != nil:
		return err
	case !ours && e.Known.Event > 0:
		return e.lost("was replaced by another program's", Progress{})
	case !ours:
		return &ForeignError{e.Path}
	}
	if err := pool.QueryRowContext(ctx, VersionQuery).Scan(&e.Version); err != nil || e.Version > e.Newest {
		return err // opening it refuses a newer one
	}
	if e.TooOld(e.Version) {
		return &TooOldError{e.Path, e.Version}
	}
	if e.Version == e.Newest {
		if e.Left, err = LeftOpen(ctx, pool); err != nil {
			return err
		}
	}
	if e.isForeign(ctx, pool, e.Path) {
		return e.lost("was replaced by another one", Progress{})
	}

	verdict := ""
	switch { // what is in an older file, or of another one's log, does not fit the indexes
	case e.All, e.Left, logSize(e.Path) > 0:
		verdict, err = CheckAll(ctx, pool)
	case e.Version < e.Newest:
		verdict, err = Check(ctx, pool)
	}
	if err != nil {
		return err
	}
	if verdict != "" {
		return &DamagedError{e.Path, verdict}
	}

	return e.compare(ctx, pool)
}

// logSize returns the size of a database's log, 0 for none.
func logSize(path string) int64 {
	info, err := os.Stat(path + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// isForeign reports whether a file, or that with its log, is not the database that was there.
func (e *Examiner) isForeign(ctx context.Context, pool *sql.DB, path string) bool {
	alone, err := OpenCopy(path)
	if err != nil {
		return false
	}
	defer alone.Close()

	for _, db := range []*sql.DB{pool, alone} {
		id, err := IDOf(ctx, db)
		if err == nil && id != e.Before.ID && id != 0 && e.Before.ID != 0 {
			return true
		}
	}
	return false
}

// compare refuses a database that lacks what was acknowledged.
func (e *Examiner) compare(ctx context.Context, pool *sql.DB) error {
	has, err := e.ProgressOf(ctx, pool)
	if err != nil {
		return err
	}
	if e.Known.Event > has.Event {
		return e.lost("is older than it was, or a part of it was removed", has)
	}
	return nil
}
