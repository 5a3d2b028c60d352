package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"parley"
	"parley/internal/disk"
	"parley/store/engine"
)

// lossOf returns since when a database is known to lack something that its copies may have; the zero time for nothing.
func lossOf(ctx context.Context, db *sql.DB) time.Time {
	var value string
	lacks := new(Shortfall)
	err := db.QueryRowContext(ctx, `SELECT value FROM facts WHERE name = ?`, shortfallFact).Scan(&value)
	if err != nil || json.Unmarshal([]byte(value), lacks) != nil {
		return time.Time{}
	}
	return lacks.Since
}

// KeepCopy makes an automatic copy. It refuses when the database is damaged, so that no good
// copy is displaced, and when the disk has no room for it. Other calls may write meanwhile.
func (s *Workspace) KeepCopy(ctx context.Context) (Copy, error) {
	if err := s.Check(ctx); err != nil {
		return Copy{}, err
	}
	if err := s.db.roomForCopy(); err != nil {
		return Copy{}, err
	}

	pool, err := engine.Connect(engine.DSN(s.db.base.Path, s.db.busyTimeout), 1)
	if err != nil {
		return Copy{}, s.db.fail("keeping a copy", err)
	}
	defer pool.Close()

	c, err := s.db.copies.Make(ctx, pool, Copy{Made: s.db.base.Now()}, schema.WholeCopy(ctx), lossOf(ctx, pool))
	if err != nil {
		return c, failure(c.Path, "keeping a copy", err)
	}

	return c, nil
}

// spareRoom is the free space in bytes that a copy leaves.
const spareRoom = 64 << 20

func (db *database) roomForCopy() error {
	info, err := os.Stat(db.base.Path)
	if err != nil {
		return db.fail("looking at the database", err)
	}

	var st unix.Statfs_t
	dir := db.copies.Dir
	for unix.Statfs(dir, &st) != nil {
		if dir == filepath.Dir(dir) {
			return nil // unknown; the copy itself will tell
		}
		dir = filepath.Dir(dir)
	}

	free := int64(st.Bavail) * int64(st.Bsize) // the types differ between systems
	if free >= info.Size()+spareRoom {
		return nil
	}

	return parley.Errorf(parley.StorageUnavailable, "the disk has no room for a copy of the database").
		Suggest("Free %d MB on the disk of %s.", (info.Size()+spareRoom-free)>>20+1, dir)
}

// firstCopy is when the first copy is made: a young workspace has no other way back.
const firstCopy = 5 * time.Minute

// CopyDue reports whether something that was stored longer ago than every is in no automatic
// copy yet. While there is no copy, some minutes are long enough.
func (s *Workspace) CopyDue(ctx context.Context, every time.Duration) (bool, error) {
	if !s.db.base.SQL.Embedded {
		return false, nil
	}
	list, err := s.db.copies.List()
	if err != nil {
		return false, failure(s.db.copies.Dir, "looking for copies", err)
	}

	var has engine.Progress
	if len(list) == 0 {
		every = min(every, firstCopy)
	} else if has, err = schema.ProgressOfCopy(ctx, list[0].Path); err != nil {
		return true, nil // it is damaged
	}

	var at []int64
	err = s.db.read(ctx, "looking for what is not copied", &at,
		`SELECT at FROM events WHERE seq > ? ORDER BY seq LIMIT 1`, has.Event)
	if err != nil || len(at) == 0 {
		return false, err
	}

	return s.db.base.Now().Sub(time.Unix(0, at[0])) >= every, nil
}

// Check looks for damage in every page of the database. Other calls may write meanwhile. If it
// finds some, nothing more is accepted.
func (s *Workspace) Check(ctx context.Context) error {
	if s.db.base.Queue.IsClosed() {
		return errClosed()
	}
	if err := s.Refusal(); err != nil || !s.db.base.SQL.Embedded {
		return err
	}

	pool, err := engine.Connect(engine.DSN(s.db.base.Path, s.db.busyTimeout, engine.ReaderPragmas...), 1)
	if err != nil {
		return s.db.fail("checking the database", err)
	}
	defer pool.Close()

	verdict, err := engine.Check(ctx, pool)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.db.fail("checking the database", err)
	case verdict != "":
		return failure(s.db.base.Path, "checking the database", s.db.base.Condemn(verdict))
	}

	return nil
}

// Backup writes a consistent copy of the database to a new file and returns its size in
// bytes. Other calls may write meanwhile. INVALID_ARGUMENT when path is not absolute or
// exists, STORAGE_UNAVAILABLE when the copy cannot be written; then it is removed.
func (s *Workspace) Backup(ctx context.Context, path string) (int64, error) {
	if !filepath.IsAbs(path) {
		return 0, parley.Errorf(parley.InvalidArgument, "the path %q is not absolute", path).
			Suggest("Give an absolute path, for example %s.", filepath.Join(os.TempDir(), "copy.db"))
	}

	if s.db.base.Queue.IsClosed() {
		return 0, errClosed()
	}

	size, err := s.db.backup(ctx, path)
	switch {
	case err == nil:
		return size, nil
	case errors.Is(err, os.ErrExist):
		return 0, parley.Errorf(parley.InvalidArgument, "%s already exists", path).
			Suggest("Choose a file that does not exist.")
	case errors.Is(err, os.ErrNotExist):
		return 0, parley.Errorf(parley.InvalidArgument, "the directory of %s does not exist", path).
			Suggest("Create it first: mkdir -p %s", filepath.Dir(path))
	case ctx.Err() != nil:
		return 0, ctx.Err()
	}

	if f := engine.FaultOf(err); f == engine.FaultLocked || f == engine.FaultCorrupt || f == engine.FaultForeign ||
		engine.PostgresFault(err) != engine.FaultNone {
		path = s.db.base.Path // the fault is of the database, not of its copy
	}

	return 0, failure(path, "writing the copy", err)
}

// backupFile copies the database's file.
func (db *database) backupFile(ctx context.Context, path string) (int64, error) {
	pool, err := engine.Connect(engine.DSN(db.base.Path, db.busyTimeout), 1)
	if err != nil {
		return 0, err
	}
	defer pool.Close()

	return engine.CopyTo(ctx, pool, path)
}

// backupServer copies a database of PostgreSQL as it is at one moment to a new file of SQLite. It
// compares the two, and needs none of the server's programs.
func (db *database) backupServer(ctx context.Context, path string) (size int64, err error) {
	if disk.Exists(path) {
		return 0, os.ErrExist
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".part-*")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	part := filepath.Join(dir, filepath.Base(path))
	target, err := openSide(ctx, Options{Path: part})
	if err != nil {
		return 0, err
	}
	err = snapshot(ctx, db, func(from engine.Side) error {
		t := transferOf(from, target.Side)
		return t.Run(ctx, func(string, int64) {})
	})
	if err := errors.Join(err, target.close()); err != nil {
		return 0, err
	}

	return placeBackup(part, path)
}

// snapshot calls read with the database as it is at one moment.
func snapshot(ctx context.Context, db *database, read func(engine.Side) error) error {
	tx, err := db.base.ReaderPool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it has read only

	return read(engine.Side{SQL: db.base.SQL, Rows: tx})
}

// placeBackup gives a whole copy its name, unless that is taken, and returns its size.
func placeBackup(part, path string) (int64, error) {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	err = errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = os.Link(part, path) // fails if there is a file
	}
	if err != nil {
		return 0, err
	}

	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}

	return info.Size(), nil
}
