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
	files := db.tuning.migrations
	if files == nil {
		files = stepsOf(db.base.SQL)
	}
	return db.base.SQL.Migrations(db.base.WriterPool, files)
}

// newestVersion is that of the newest migration that this database has.
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
