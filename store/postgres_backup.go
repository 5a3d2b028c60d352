package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"

	"parley/internal/disk"
	"parley/store/engine"
)

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
