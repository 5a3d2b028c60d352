package store

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pressly/goose/v3"

	"parley"
)

// migrate brings the schema up to date, after copying a database that is not new.
func (db *database) migrate(ctx context.Context, provider *goose.Provider) error {
	have, want, err := provider.GetVersions(ctx)
	switch {
	case err != nil:
		return err
	case have > want:
		older := "put an older copy in its place: " + db.copies.where()
		if !db.sql.embedded {
			older = "restore an older backup of the database."
		}
		return parley.Errorf(parley.StorageUnavailable,
			"the database %s is from a newer parley: its version is %d, this program knows %d", db.path, have, want).
			With("file", db.path).With("version", have).
			Suggest("Use the newer parley, or %s", older)
	case have == want:
		return nil
	}

	if have > 0 && db.sql.embedded {
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
	return goose.NewProvider(db.sql.goose, db.writerPool, files, goose.WithLogger(goose.NopLogger()),
		goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(goMigrations(db.sql)...))
}

func (db *database) migrations() (fs.FS, error) {
	if db.tuning.migrations != nil {
		return db.tuning.migrations, nil
	}
	return sqlMigrations(db.sql)
}

// newestVersion is that of the newest migration in SQL or Go.
func (db *database) newestVersion() (int64, error) {
	if db.tuning.migrations == nil {
		return newestVersion(), nil
	}
	names, err := fs.Glob(db.tuning.migrations, "*.sql")
	newest := newestVersion()
	for _, name := range names {
		version, bad := goose.NumericComponent(name)
		if newest = max(newest, version); bad != nil {
			err = errors.Join(err, bad)
		}
	}
	return newest, err
}

// keepCopy copies the database before a migration.
func (db *database) keepCopy(ctx context.Context, version int64) error {
	c, err := db.copies.make(ctx, db.writerPool, Copy{Made: db.now(), Before: version})
	if err != nil {
		return failure(db.path, "keeping a copy before the migration", err)
	}
	db.log.Info("kept a copy of the database", "file", c.Path)
	return nil
}
