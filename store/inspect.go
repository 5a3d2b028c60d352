package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"

	"parley"
)

// Health describes a database in which Inspect found nothing wrong.
type Health struct {
	Version, Known int64 // the version of its schema, and the newest that this program knows
	Size, Log      int64 // of the file and of the write-ahead log next to it, in bytes

	Place string     // of a server's database, without the password; "" for a file
	Lacks *Shortfall // what was acknowledged and is not there; nil for nothing
}

// Inspect reads the whole database, which others may use meanwhile. It changes nothing and
// does not migrate. Every error is STORAGE_UNAVAILABLE, as with Open.
func Inspect(ctx context.Context, o Options) (Health, error) {
	if o.URL != "" {
		return inspectServer(ctx, o.URL)
	}

	file := o.Path
	h, err := inspect(ctx, o)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // the driver says that it was interrupted
		}
		progress := progressFile{path: progressPath(file)}
		db := &database{now: o.clock, kept: kept{copies: o.Copies.or(file), progress: progress}}
		return h, db.explain(ctx, failure(file, "reading the database", err))
	}
	return h, nil
}

func inspect(ctx context.Context, o Options) (h Health, err error) {
	file := o.Path
	acknowledged, err := readProgress(progressPath(file)) // before the database, which goes on
	if err != nil {
		return h, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return h, err
	}

	h.Size, h.Known = info.Size(), newestVersion()
	if info, err := os.Stat(file + "-wal"); err == nil {
		h.Log = info.Size()
	}

	absolute, err := filepath.Abs(file)
	if err != nil {
		return h, err
	}

	pool, err := connect(dsn(absolute, time.Second, readerPragmas...)+"&mode=ro", 1)
	if err != nil {
		return h, err
	}
	defer pool.Close()

	if info.Size() == 0 && acknowledged.Event > 0 {
		return h, damaged(file).With("cause", "the file is empty")
	}
	if err := h.read(ctx, pool, file); err != nil {
		return h, err
	}

	has, err := progressOf(ctx, pool)
	h.Lacks = missing(acknowledged, has)

	return h, err
}

// read checks every page and index, and reads the version.
func (h *Health) read(ctx context.Context, pool *sql.DB, file string) error {
	_, ours, err := contents(ctx, pool)
	if err != nil {
		return err
	}
	if !ours {
		return notOurs(file)
	}

	verdict, err := checkAll(ctx, pool)
	if err != nil {
		return err
	}
	if verdict != "" {
		return damaged(file).With("cause", verdict)
	}

	return pool.QueryRowContext(ctx, versionQuery).Scan(&h.Version)
}

const versionQuery = `SELECT coalesce(max(version_id), 0) FROM ` + goose.DefaultTablename + ` WHERE is_applied`

func notOurs(file string) *parley.Error {
	return parley.Errorf(parley.StorageUnavailable, "%s is a database, but not one of parley's", file).
		With("file", file).
		Suggest("Move it away, or choose another workspace directory.")
}
