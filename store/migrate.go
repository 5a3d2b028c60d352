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

// newestVersion is the number of the newest step.
var newestVersion = func() int64 {
	numbers, err := engine.StepNumbers(stepsOf(&engine.SQLite))
	if err != nil {
		panic(err) // a file's name, which a test would see
	}
	return slices.Max(numbers)
}()

// stepsOf returns the migrations of a kind of database.
func stepsOf(d *engine.Dialect) fs.FS {
	files, err := fs.Sub(embedded, "migrations/"+d.Folder)
	if err != nil {
		panic(err) // not a path
	}
	return files
}

// schema is what a database of parley is.
var schema = engine.Schema{Numbered: "messages", First: firstVersion, Newest: newestVersion}

// migrate brings the schema up to date, after copying a database that is not new.
func (x opening) migrate(ctx context.Context, m *engine.Migrations) error {
	have, want, err := m.Versions(ctx)
	switch {
	case err != nil:
		return err
	case have > want:
		older := "put an older copy in its place: " + x.db.copies.Where()
		if !x.db.base.SQL.Embedded {
			older = "restore an older backup of the database."
		}
		return parley.Errorf(parley.StorageUnavailable,
			"the database %s is from a newer parley: its version is %d, this program knows %d", x.db.base.Path, have,
			want).
			With("file", x.db.base.Path).With("version", have).
			Suggest("Use the newer parley, or %s", older)
	case schema.TooOld(have):
		return tooOld(x.db.base.Path, have)
	case have == want:
		return nil
	}

	if have > 0 && x.db.base.SQL.Embedded {
		if err := x.keepCopy(ctx, have); err != nil {
			return err
		}
	}

	x.db.base.Log.Info("migrating the database", "from", have, "to", want)

	return m.Up(ctx)
}

// migrator returns all migrations.
func (x opening) migrator() (*engine.Migrations, error) {
	files := x.tuning.migrations
	if files == nil {
		files = stepsOf(x.db.base.SQL)
	}
	return x.db.base.SQL.Migrations(x.db.base.WriterPool, files)
}

// newestVersion is that of the newest migration that this database has.
func (x opening) newestVersion() (newest int64, err error) {
	if x.tuning.migrations == nil {
		return newestVersion, nil
	}
	numbers, err := engine.StepNumbers(x.tuning.migrations)
	return slices.Max(numbers), err
}

// keepCopy copies the database before a migration.
func (x opening) keepCopy(ctx context.Context, version int64) error {
	c, err := x.db.copies.Make(ctx, x.db.base.WriterPool, Copy{Made: x.db.base.Now(), Before: version},
		schema.WholeCopy(ctx),
		lossOf(ctx, x.db.base.WriterPool))
	if err != nil {
		return failure(x.db.base.Path, "keeping a copy before the migration", err)
	}
	x.db.base.Log.Info("kept a copy of the database", "file", c.Path)
	return nil
}
