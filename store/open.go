package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"parley"
	"parley/store/engine"
)

// Open opens the database. It creates a missing one (0600, in a directory 0700), and
// migrates an older one after keeping a copy. Before a migration, and when the database
// was not closed, it checks the whole file. Every error is STORAGE_UNAVAILABLE and says
// what to do: the file is not a database, damaged, from a newer parley or locked, the
// disk is full, or permission is missing.
func Open(ctx context.Context, o Options) (*Store, error) {
	return open(ctx, o, tuning{busyTimeout: engine.DefaultBusyTimeout, searchTime: searchTime})
}

func open(ctx context.Context, o Options, tuned tuning) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, failure(o.Path, "finding the database", err)
	}

	db := &database{busyTimeout: tuned.busyTimeout, searchTime: tuned.searchTime,
		base: &engine.Database{Now: o.clock, Log: o.Log, Answers: refused}}
	db.base.Nouns = db.described()
	db.base.Begin()

	x := opening{db, tuned}
	begin := x.openFile
	if o.URL == "" {
		x.useFile(path, &o)
	} else if begin, err = x.useServer(path, o.URL, o.Host); err != nil {
		return nil, err
	}
	if db.base.Log == nil {
		db.base.Log = slog.New(slog.DiscardHandler)
	}

	err = begin(ctx)
	if err == nil {
		err = x.refuseMoved(ctx)
	}
	if err != nil {
		db.base.Abandon()
		return nil, db.explain(ctx, failure(db.base.Path, "opening the database", err))
	}

	go db.base.Serve()

	return newStore(db), nil
}

// useFile prepares for a file of SQLite.
func (x opening) useFile(path string, o *Options) {
	x.db.base.Path, x.db.base.SQL, x.db.base.Progress.Path = path, &engine.SQLite, engine.ProgressPath(path)
	x.db.backup, x.db.copies = x.db.backupFile, o.Copies.Or(path)
}

func (x opening) openFile(ctx context.Context) (err error) {
	base := x.db.base
	_, taken, err := engine.TakeSaved(base.Path, engine.ForeignEnding, base.Now())
	if err != nil {
		return err
	}
	if taken {
		base.Safety.Tell("The files of the database %s were removed or replaced while parley ran. They were put back "+
			"with all that was accepted.", base.Path)
	}

	e, err := schema.NewExaminer(ctx, base.Path, x.db.copies)
	if err != nil {
		return err
	}
	if err := x.examine(ctx, e); err != nil {
		return err
	}
	session := &engine.FileSession{Base: base, Marked: e.Left}
	base.Session = session

	if err := base.OpenWriter(x.tuning.busyTimeout); err != nil {
		return err
	}
	if err := x.prepare(ctx); err != nil {
		return err
	}
	if err := base.OpenReaders(ctx, x.tuning.busyTimeout); err != nil {
		return err
	}
	if err := x.beginProgress(ctx, e); err != nil {
		return err
	}

	session.Watched, err = engine.Watch(engine.WatchedFiles{Path: base.Path, Safety: base.Safety, Log: base.Log,
		CopyTo: func(path string) error {
			_, err := engine.CopyTo(context.Background(), base.WriterConn, path)
			return err
		},
		Describe: lostFiles(base.Path),
	})

	return err
}

// prepare migrates the file.
func (x opening) prepare(ctx context.Context) error {
	m, err := x.migrator()
	if err != nil {
		return err
	}

	if err := x.migrate(ctx, m); err != nil {
		return err
	}

	last, err := engine.LastEvent(ctx, x.db.base.WriterPool)
	x.db.base.Events.Begin(last)

	return err
}

// examine refuses a database that is not whole, or behind what is known to have been there.
func (x opening) examine(ctx context.Context, e *engine.Examiner) (err error) {
	e.Busy = x.tuning.busyTimeout
	if e.Newest, err = x.newestVersion(); err != nil || x.tuning.moves {
		return err
	}
	if x.tuning.goOn != nil { // the repair has examined it
		return nil
	}
	if _, err = e.Examine(ctx); err == nil && e.Left {
		x.db.base.Log.Info("the database was not closed, and is sound")
	}
	return err
}

// beginProgress writes down how far the database is.
func (x opening) beginProgress(ctx context.Context, e *engine.Examiner) error {
	has, err := schema.ProgressOf(ctx, x.db.base.ReaderPool)
	if err != nil {
		return err
	}
	n := engine.Noted{Progress: has}
	if n.ID, err = engine.IDOf(ctx, x.db.base.ReaderPool); err != nil {
		return err
	}
	if n.ID == 0 && x.tuning.goOn != nil {
		n.ID = x.tuning.goOn.ID
	}
	if n.ID == 0 {
		n.ID = rand.Uint32() | 1
	}
	if err := x.db.base.Progress.Begin(e.Before, n); err != nil || x.tuning.goOn == nil {
		return err
	}
	return x.settle(x.tuning.goOn)
}

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
