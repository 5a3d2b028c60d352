package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"parley"
	"parley/store/engine"
	"time"
)

// Before SQLite may write to a database, parley reads it, its log, and what is known of them. SQLite begins a new
// database where one is missing, drops what follows a damaged page of the log, and merges the log of another database.
// What is not whole, or behind what is known to have been there, is refused and stays as it is.

// examiner looks at the file of a database. It changes nothing.
type examiner struct {
	path   string
	before engine.Noted    // what was written down about it
	known  engine.Progress // how far it was at least
	busy   time.Duration
	newest int64 // the version of a schema that needs no migration
	all    bool  // read every page and index, in any case

	version int64 // that it has
	id      uint64
	left    bool // its last writer did not close it
}

// newExaminer reads what is known of a database apart from its file: what was written down, and its newest copy.
func newExaminer(ctx context.Context, path string, copies Copies) (*examiner, error) {
	before, err := engine.ReadNoted(engine.ProgressPath(path))
	if err != nil {
		return nil, err
	}
	e := &examiner{path: path, before: before, known: before.Progress, busy: time.Second, newest: newestVersion}

	list, err := copies.List()
	if err != nil || len(list) == 0 {
		return e, err
	}
	if has, err := progressOfCopy(ctx, list[0].Path); err == nil && has.Event > e.known.Event {
		e.known = has
	}

	return e, nil
}

// examine refuses a database that is not whole. It returns false if there is none, and none is known to have been.
func (e *examiner) examine(ctx context.Context) (exists bool, err error) {
	salts, err := engine.SaltsOf(e.path)
	if err != nil {
		return false, err
	}
	if exists, err = e.lookAtFile(salts); err != nil || !exists {
		return exists, err
	}

	pool, err := engine.Connect(engine.DSN(e.path, e.busy, engine.ReaderPragmas...)+"&mode=ro", 1)
	if err != nil {
		return true, err
	}
	defer pool.Close()

	err = e.read(ctx, pool, salts)
	if err == nil || engine.Contextual(err) || refused(err) || engine.FaultOf(err) == engine.FaultLocked {
		return true, err
	}
	if verdict, bad := engine.Check(ctx, pool); verdict != "" || engine.FaultOf(bad) == engine.FaultCorrupt {
		return true, damaged(e.path).With("cause", err.Error()) // which need not say so
	}

	return true, err
}

// lookAtFile refuses a file that is missing or empty although something was there.
func (e *examiner) lookAtFile(log engine.LogSalts) (exists bool, err error) {
	info, err := os.Stat(e.path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case err != nil && !missing:
		return false, err
	case !missing && (info.Size() > 0 || info.IsDir()):
		f, err := os.OpenFile(e.path, os.O_RDWR, 0) // what forbids it is not said by SQLite
		if err != nil {
			return true, err
		}
		return true, f.Close()
	case e.known.Event == 0 && log == 0:
		return false, nil
	}

	is := "is empty"
	if missing {
		is = "is missing"
	}
	return false, e.lost(is, engine.Progress{})
}

// lost describes a database that lacks what parley had acknowledged.
func (e *examiner) lost(is string, has engine.Progress) *parley.Error {
	lacks := missing(e.known, has)
	if lacks == nil {
		return damaged(e.path).With("cause", "it "+is)
	}
	return parley.Errorf(parley.StorageUnavailable, "the database %s %s: it lacks %s that parley had acknowledged", e.path,
		is, lacks.Words()).
		With("file", e.path).With("lacks_messages", lacks.Messages).With(damageDetail, true).Suggest("%s", repairStep)
}

// read reads what a database holds.
func (e *examiner) read(ctx context.Context, pool *sql.DB, log engine.LogSalts) error {
	_, ours, err := engine.Contents(ctx, pool)
	switch {
	case err != nil:
		return err
	case !ours && e.known.Event > 0:
		return e.lost("was replaced by another program's", engine.Progress{})
	case !ours:
		return notOurs(e.path)
	}
	if err := pool.QueryRowContext(ctx, engine.VersionQuery).Scan(&e.version); err != nil || e.version > e.newest {
		return err // Open refuses a newer one
	}
	if isTooOld(e.version) {
		return tooOld(e.path, e.version)
	}
	if e.version == e.newest {
		if err := e.recognize(ctx, pool, log); err != nil {
			return err
		}
	}

	verdict := ""
	switch {
	case e.all:
		verdict, err = engine.CheckAll(ctx, pool)
	case e.left, log != 0, e.version < e.newest:
		verdict, err = engine.Check(ctx, pool)
	}
	if err != nil {
		return err
	}
	if verdict != "" {
		return damaged(e.path).With("cause", verdict)
	}

	return e.compare(ctx, pool)
}

// recognize refuses a file that is not the one that was there, or older than its log.
func (e *examiner) recognize(ctx context.Context, pool *sql.DB, log engine.LogSalts) (err error) {
	if e.id, err = engine.IDOf(ctx, pool); err != nil {
		return err
	}
	if e.left, err = engine.LeftOpen(ctx, pool); err != nil {
		return err
	}
	switch {
	case e.isForeign(e.id):
		return e.lost("was replaced by another one", engine.Progress{})
	case log == 0:
		return nil
	case !e.before.Log.FollowedBy(log): // older, of another database, or of another program that has this one open
		e.all = true
	}

	alone, err := progressOfCopy(ctx, e.path)
	if err == nil && alone.Event < e.before.Base {
		return damaged(e.path).With("cause", "it is older than its write-ahead log")
	}

	return nil // it need not be readable without its log
}

// isForeign reports whether a database with an id is not the one that was there.
func (e *examiner) isForeign(id uint64) bool { return id != e.before.ID && id != 0 && e.before.ID != 0 }

// compare refuses a database that lacks what was acknowledged.
func (e *examiner) compare(ctx context.Context, pool *sql.DB) error {
	has, err := engine.ProgressOf(ctx, pool, "messages")
	if err != nil {
		return err
	}
	if missing(e.known, has) != nil {
		return e.lost("is older than it was, or a part of it was removed", has)
	}
	return nil
}
