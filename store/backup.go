package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"parley"
	"parley/internal/disk"
	"parley/store/engine"
)

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
