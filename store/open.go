package store

import (
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
)

// readers is how many reads run at a time.
const readers = 4

// Open opens the database, makes it (0600, in a directory 0700) when it is
// missing, and brings it up to date after keeping a copy. Before that, and when it
// was not closed, the whole file is checked. All that can be wrong with it is
// STORAGE_UNAVAILABLE and says what to do: not a database, damaged, from a newer
// parley, locked, no room, no permission.
func Open(ctx context.Context, o Options) (*Store, error) {
	return open(ctx, o, tuning{busyTimeout: defaultBusyTimeout, searchTime: searchTime})
}

func open(ctx context.Context, o Options, tuned tuning) (*Store, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, failure(o.Path, "finding the database", err)
	}

	s := &Store{path: path, now: o.Now, log: o.Log, tuning: tuned, finished: make(chan struct{})}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}

	s.queue.wake = make(chan struct{}, 1)
	s.events.news = make(chan struct{})
	if err := s.open(ctx); err != nil {
		s.abandon()
		return nil, failure(path, "opening the database", err)
	}

	go s.writeLoop()

	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if err := create(s.path); err != nil {
		return err
	}
	if s.writerPool, err = connect(dsn(s.path, s.tuning.busyTimeout, writerPragmas...), 1); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if s.readerPool, err = connect(dsn(s.path, s.tuning.busyTimeout, readerPragmas...), readers); err != nil {
		return err
	}
	if s.reader, err = over(s.readerPool); err != nil {
		return err
	}
	if s.writerConn, err = s.writerPool.Conn(ctx); err != nil {
		return err
	}

	s.writer, err = over(s.writerConn)

	return err
}

// prepare checks the file and migrates it.
func (s *Store) prepare(ctx context.Context) error {
	tables, ours, err := contents(ctx, s.writerPool)
	if err != nil {
		return err
	}
	if tables > 0 && !ours {
		return notOurs(s.path)
	}

	provider, err := s.migrator()
	if err != nil {
		return err
	}

	if ours {
		if err := s.examine(ctx, provider); err != nil {
			return err
		}
	}

	if err := s.migrate(ctx, provider); err != nil {
		return err
	}

	last, err := lastEvent(ctx, s.writerPool)
	s.events.last.Store(last)

	return err
}

func (s *Store) verify(ctx context.Context) error {
	verdict, err := check(ctx, s.writerPool)
	if err != nil || verdict == "" {
		return err
	}
	return damaged(s.path).With("cause", verdict)
}

// abandon closes what a failed open has opened.
func (s *Store) abandon() {
	if s.writerConn != nil {
		_ = s.writerConn.Close()
	}
	for _, pool := range []*sql.DB{s.readerPool, s.writerPool} {
		if pool != nil {
			_ = pool.Close()
		}
	}
}

// create makes the file and its directory, and shows that both may be used.
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

// openFact is a fact from the first write after Open until Close. When Open finds it,
// whoever wrote last did not stop cleanly. It is part of the first change's own
// transaction, and so costs no commit.
const openFact = "open"

// leftOpen reports whether the last to write did not close the database. One that is
// too old to say so is going to be migrated.
func (s *Store) leftOpen(ctx context.Context) (left bool, err error) {
	err = s.writerPool.QueryRowContext(ctx, `SELECT count(*) > 0 FROM facts WHERE name = ?`, openFact).Scan(&left)
	return left, err
}

func (t *tx) markOpen() error {
	_, err := t.exec(`INSERT INTO facts (name, value) VALUES (?, 'true') ON CONFLICT (name) DO NOTHING`, openFact)
	return err
}

// markClosed is for when the writing goroutine has ended. When it fails, the next one
// to open the database checks it.
func (s *Store) markClosed() {
	if !s.marked {
		return
	}
	if err := s.writer.Exec(`DELETE FROM facts WHERE name = ?`, openFact).Error; err != nil {
		s.log.Warn("the database could not be marked as closed", "error", err)
	}
}

// examine reads the whole database when there is a reason to: it is going to be
// changed, or may have been left half-written.
func (s *Store) examine(ctx context.Context, provider *goose.Provider) error {
	have, want, err := provider.GetVersions(ctx)
	if err != nil || have > want {
		return err // what is newer is refused by migrate
	}
	if have == want {
		if s.marked, err = s.leftOpen(ctx); err != nil || !s.marked {
			return err
		}
		s.log.Info("checking the database: it was not closed")
	}
	return s.verify(ctx)
}
