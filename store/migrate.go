package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	"parley"
)

// keptBackups is how many automatic copies stay next to the database.
const keptBackups = 3

// migrate brings the schema up to date, after copying a database that is not new.
func (db *database) migrate(ctx context.Context, provider *goose.Provider) error {
	have, want, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case have > want:
		return parley.Errorf(parley.StorageUnavailable,
			"the database %s is from a newer parley: its version is %d, this program knows %d", db.path, have, want).
			With("file", db.path).With("version", have).
			Suggest("Use the newer parley, or put an older copy in its place: %s", whereCopies(db.path))
	case have == want:
		return nil
	}

	if have > 0 {
		if err := db.keepCopy(ctx, have); err != nil {
			return err
		}
	}

	db.log.Info("migrating the database", "from", have, "to", want)
	_, err = provider.Up(ctx)

	return err
}

// migrator returns goose with all migrations, those in SQL and those in Go.
func (db *database) migrator() (*goose.Provider, error) {
	files, err := db.migrations()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db.writerPool, files, goose.WithLogger(goose.NopLogger()),
		goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(goMigrations()...))
}

func (db *database) migrations() (fs.FS, error) {
	if db.tuning.migrations != nil {
		return db.tuning.migrations, nil
	}
	return sqlMigrations()
}

// keepCopy copies the database to path.bak-VERSION-TIME, and removes all but the newest
// of these copies.
func (db *database) keepCopy(ctx context.Context, version int64) error {
	stamp := db.now().UTC().Format("20060102T150405.000")
	name := fmt.Sprintf("%s.bak-%d-%s", db.path, version, stamp)
	if _, err := copyTo(ctx, db.writerPool, name); err != nil {
		return failure(db.path, "keeping a copy before the migration", err)
	}
	db.log.Info("kept a copy of the database", "file", name)
	return db.dropOldCopies()
}

// dropOldCopies removes all but the newest copies.
func (db *database) dropOldCopies() error {
	dir, prefix := filepath.Dir(db.path), filepath.Base(db.path)+".bak-"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}

	var copies []fs.FileInfo
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, prefix) || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") {
			continue // -wal and -shm belong to a copy that is open
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			copies = append(copies, info)
		}
	}

	slices.SortFunc(copies, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, old := range copies[min(keptBackups, len(copies)):] {
		if err := os.Remove(filepath.Join(dir, old.Name())); err != nil {
			return err
		}
	}

	return nil
}
