package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"parley"
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

	if s.base.Queue.IsClosed() {
		return 0, errClosed()
	}

	size, err := s.backup(ctx, path)
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
		path = s.base.Path // the fault is of the database, not of its copy
	}

	return 0, failure(path, "writing the copy", err)
}

// backupFile copies the database's file.
func (db *database) backupFile(ctx context.Context, path string) (int64, error) {
	pool, err := engine.Connect(engine.DSN(db.base.Path, db.tuning.busyTimeout), 1)
	if err != nil {
		return 0, err
	}
	defer pool.Close()

	return engine.CopyTo(ctx, pool, path)
}
