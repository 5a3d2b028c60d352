package store

import (
	"errors"
	"parley/store/engine"
	"time"
)

// sqliteSession sends BEGIN and COMMIT itself: after a failed COMMIT database/sql would forget the
// transaction while the connection is still in it.
type sqliteSession struct{ *database }

func (s sqliteSession) begin(t *tx) error {
	if _, err := s.writer.ExecResult("BEGIN IMMEDIATE"); err != nil || s.marked {
		return err
	}
	return s.markOpen(t)
}

func (s sqliteSession) commit(*tx) error {
	if _, err := s.writer.ExecResult("COMMIT"); err != nil {
		return err
	}
	s.marked = true
	return nil
}

// rollback does nothing when SQLite has already rolled back by itself.
func (s sqliteSession) rollback() { _, _ = s.writer.Exec("ROLLBACK") }

func (s sqliteSession) spoiled() bool { return false }

func (s sqliteSession) watch() error { return nil }

func (s sqliteSession) follows(func(querier, int64, int64) (int64, error)) {}

// confirm looks at the names of the files, if that is some time ago.
func (s sqliteSession) confirm() error {
	if err := s.safety.Refusal(); err == nil && time.Since(s.watched.Looked) < engine.WatchEvery {
		return nil
	}
	s.watched.Looked = time.Now()
	if err := s.watched.Look(); err != nil {
		return err
	}
	s.noteFailure(s.progress.Look(s.path))
	return nil
}

// close closes the files. The writer goes last: the last connection moves the log into the file.
func (s sqliteSession) close() error {
	s.markClosed()
	s.statements.Close()

	return errors.Join(s.readerPool.Close(), s.writerConn.Close(), s.writerPool.Close())
}
