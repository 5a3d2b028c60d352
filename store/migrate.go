package store

import (
	"context"
	"embed"
	"io/fs"
	"slices"

	"parley"
	"parley/store/engine"
)

// Each database has its migrations, under the same numbers. The first makes the whole schema.
//
//go:embed migrations/sqlite/*.sql migrations/postgres/*.sql
var embedded embed.FS

// migrate brings the schema up to date, after copying a database that is not new.
func (db opening) migrate(ctx context.Context, m *engine.Migrations) error {
	have, want, err := m.Versions(ctx)
	switch {
	case err != nil:
		return err
	case have > want:
		older := "put an older copy in its place: " + db.copies.Where()
		if !db.base.SQL.Embedded {
			older = "restore an older backup of the database."
		}
		return parley.Errorf(parley.StorageUnavailable,
			"the database %s is from a newer parley: its version is %d, this program knows %d", db.base.Path, have,
			want).
			With("file", db.base.Path).With("version", have).
			Suggest("Use the newer parley, or %s", older)
	case schema.TooOld(have):
		return tooOld(db.base.Path, have)
	case have == want:
		return nil
	}

	if have > 0 && db.base.SQL.Embedded {
		if err := db.keepCopy(ctx, have); err != nil {
			return err
		}
	}

	db.base.Log.Info("migrating the database", "from", have, "to", want)

	return m.Up(ctx)
}

// migrator returns all migrations.
func (db opening) migrator() (*engine.Migrations, error) {
	files, err := db.migrations()
	if err != nil {
		return nil, err
	}
	return db.base.SQL.Migrations(db.base.WriterPool, files)
}

func (db opening) migrations() (fs.FS, error) {
	if db.tuning.migrations != nil {
		return db.tuning.migrations, nil
	}
	return fs.Sub(embedded, "migrations/"+db.base.SQL.Folder)
}

// newestVersion is that of the newest migration.
func (db opening) newestVersion() (newest int64, err error) {
	if db.tuning.migrations == nil {
		return newestVersion, nil
	}
	numbers, err := engine.StepNumbers(db.tuning.migrations)
	return slices.Max(numbers), err
}

// keepCopy copies the database before a migration.
func (db opening) keepCopy(ctx context.Context, version int64) error {
	c, err := db.copies.Make(ctx, db.base.WriterPool, Copy{Made: db.base.Now(), Before: version}, schema.WholeCopy(ctx),
		lossOf(ctx, db.base.WriterPool))
	if err != nil {
		return failure(db.base.Path, "keeping a copy before the migration", err)
	}
	db.base.Log.Info("kept a copy of the database", "file", c.Path)
	return nil
}
