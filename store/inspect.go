package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/store/engine"
)

// Health describes a database in which Inspect found nothing wrong.
type Health struct {
	Version, Known int64 // the version of its schema, and the newest that this program knows
	Size, Log      int64 // of the file and of the write-ahead log next to it, in bytes

	Place string // of a server's database, without the password; "" for a file
}

// Inspect reads the whole database, which others may use meanwhile. It changes nothing and does not migrate. An error
// is STORAGE_UNAVAILABLE, as with Open, or fs.ErrNotExist if there is no database, and none is known to have been.
func Inspect(ctx context.Context, o Options) (Health, error) {
	if o.URL != "" {
		return inspectServer(ctx, o.URL)
	}

	path, err := filepath.Abs(o.Path)
	if err != nil {
		return Health{}, failure(o.Path, "finding the database", err)
	}
	h, err := inspect(ctx, path, o.Copies.Or(path))
	if errors.Is(err, fs.ErrNotExist) {
		return h, err
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // the driver says that it was interrupted
		}
		db := &database{copies: o.Copies.Or(path), base: &engine.Database{Now: o.clock}}
		db.base.Progress.Path = engine.ProgressPath(path)
		return h, db.explain(ctx, failure(path, "reading the database", err))
	}
	return h, nil
}

func inspect(ctx context.Context, path string, copies Copies) (h Health, err error) {
	e, err := schema.NewExaminer(ctx, path, copies) // before the database, which goes on
	if err != nil {
		return h, err
	}
	e.All = true
	if _, err := e.Examine(ctx); err != nil {
		return h, err
	}

	info, err := os.Stat(path)
	if err != nil {
		return h, err
	}
	h.Size, h.Version, h.Known = info.Size(), e.Version, e.Newest
	if info, err := os.Stat(path + "-wal"); err == nil {
		h.Log = info.Size()
	}

	return h, nil
}
