package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"parley/store/engine"
	"path/filepath"
	"time"
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

	db := &database{now: o.Now, log: o.Log, tuning: tuned, finished: make(chan struct{})}
	if o.URL == "" {
		err = db.useFile(path, &o)
	} else {
		err = useServer(db, path, o.URL, o.Host)
	}
	if err != nil {
		return nil, err
	}

	if db.now == nil {
		db.now = time.Now
	}
	if db.log == nil {
		db.log = slog.New(slog.DiscardHandler)
	}

	db.queue = engine.NewQueue()
	db.events.Begin(0)
	db.nouns = allNouns
	err = db.open(ctx)
	if err == nil {
		err = refuseMoved(ctx, db)
	}
	if err != nil {
		db.abandon()
		return nil, db.explain(ctx, failure(db.path, "opening the database", err))
	}

	go db.writeLoop()

	return newStore(db), nil
}

// useFile prepares for a file of SQLite.
func (db *database) useFile(path string, o *Options) error {
	db.path, db.sql, db.session, db.open = path, &engine.SQLite, sqliteSession{db}, db.openFile
	db.backup = db.backupFile
	db.safety = engine.NewSafety()
	db.progress.Path, db.copies = engine.ProgressPath(path), o.Copies.Or(path)
	return nil
}

func (db *database) openFile(ctx context.Context) (err error) {
	_, taken, err := engine.TakeSaved(db.path, engine.ForeignEnding, db.now())
	if err != nil {
		return err
	}
	if taken {
		db.safety.Tell("The files of the database %s were removed or replaced while parley ran. They were put back with "+
			"all that was accepted.", db.path)
	}
	e, err := newExaminer(ctx, db.path, db.copies)
	if err != nil {
		return err
	}
	if err := db.examine(ctx, e); err != nil {
		return err
	}
	if err := create(db.path); err != nil {
		return err
	}
	pragmas := engine.WriterPragmas
	if info, err := os.Stat(db.path); err == nil && info.Size() == 0 {
		pragmas = engine.NewPragmas
	}
	if db.writerPool, err = engine.Connect(engine.DSN(db.path, db.tuning.busyTimeout, pragmas...), 1); err != nil {
		return err
	}
	if err := db.prepare(ctx); err != nil {
		return err
	}
	if err := openReaders(ctx, db); err != nil {
		return err
	}
	if db.writerConn, err = db.writerPool.Conn(ctx); err != nil {
		return err
	}

	db.statements = engine.KeepStatements(db.writerConn)
	if db.writer, err = db.sql.Over(db.statements); err != nil {
		return err
	}

	if err := db.beginProgress(ctx, e); err != nil {
		return err
	}

	db.watched, err = engine.Watch(engine.WatchedFiles{Path: db.path, Safety: db.safety, Log: db.log,
		CopyTo: func(path string) error {
			_, err := engine.CopyTo(context.Background(), db.writerConn, path)
			return err
		},
		Describe: lostFiles(db.path),
	})
	return err
}

// openReaders opens the pool that reads, and one of its connections: when the file's name is
// lost, there is no other.
func openReaders(ctx context.Context, db *database) (err error) {
	name := engine.DSN(db.path, db.tuning.busyTimeout, engine.ReaderPragmas...)
	if db.readerPool, err = engine.Connect(name, engine.Readers); err != nil {
		return err
	}
	if err := db.readerPool.PingContext(ctx); err != nil {
		return err
	}
	db.reader, err = db.sql.Over(engine.KeepStatements(db.readerPool))
	return err
}

// prepare migrates the file.
func (db *database) prepare(ctx context.Context) error {
	m, err := db.migrator()
	if err != nil {
		return err
	}

	if err := db.migrate(ctx, m); err != nil {
		return err
	}

	last, err := engine.LastEvent(ctx, db.writerPool)
	db.events.Begin(last)

	return err
}

// abandon closes what a failed open has opened.
func (db *database) abandon() {
	if db.writerConn != nil {
		db.statements.Close()
		_ = db.writerConn.Close()
	}
	for _, pool := range []*sql.DB{db.readerPool, db.writerPool} {
		if pool != nil {
			_ = pool.Close()
		}
	}
	db.progress.Close()
}

// create makes the file and its directory if they are missing, and checks that the file
// may be read and written.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// openFact is stored from the first write after Open until Close. When Open finds it,
// the last writer did not stop cleanly. The transaction of the first change stores it,
// so it costs no commit.
const openFact = "open"

// leftOpen reports whether the last writer did not close the database. The table must
// exist, as it does in a database that needs no migration.
func leftOpen(ctx context.Context, db *sql.DB) (left bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*) > 0 FROM facts WHERE name = ?`, openFact).Scan(&left)
	return left, err
}

func (db *database) markOpen(t *tx) error {
	_, err := t.Exec(`INSERT INTO facts (name, value) VALUES (?, 'true'), (?, ?) ON CONFLICT (name) DO NOTHING`, openFact,
		engine.IDFact, fmt.Sprintf("%x", db.progress.Last.ID))
	return err
}

// markClosed removes what markOpen stored. The writing goroutine must have ended. When it
// fails, the next Open checks the database.
func (db *database) markClosed() {
	if !db.marked {
		return
	}
	if _, err := db.writer.Exec(`DELETE FROM facts WHERE name = ?`, openFact); err != nil {
		db.log.Warn("the database could not be marked as closed", "error", err)
	}
}

// examine refuses a database that is not whole, or behind what is known to have been there.
func (db *database) examine(ctx context.Context, e *examiner) (err error) {
	e.busy = db.tuning.busyTimeout
	if e.newest, err = db.newestVersion(); err != nil || db.tuning.moves {
		return err
	}
	if db.tuning.goOn != nil { // the repair has examined it
		return nil
	}
	if _, err = e.examine(ctx); err == nil && e.left {
		db.log.Info("the database was not closed, and is sound")
	}
	db.marked = e.left
	return err
}

// beginProgress writes down how far the database is.
func (db *database) beginProgress(ctx context.Context, e *examiner) error {
	has, err := engine.ProgressOf(ctx, db.readerPool, "messages")
	if err != nil {
		return err
	}
	n := engine.Noted{Progress: has, Base: min(e.before.Base, has.Event)}
	if n.ID, err = engine.IDOf(ctx, db.readerPool); err != nil {
		return err
	}
	if n.ID == 0 && db.tuning.goOn != nil {
		n.ID = db.tuning.goOn.id
	}
	if n.ID == 0 {
		n.ID = rand.Uint64()
	}
	if err := db.progress.Begin(e.before, n); err != nil || db.tuning.goOn == nil {
		return err
	}
	return db.settle(db.tuning.goOn)
}
