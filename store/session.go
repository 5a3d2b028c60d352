package store

import (
	"errors"
	"time"
)

// session is the way of the writing goroutine to the database. After Open, nothing else uses it.
type session interface {
	// begin begins a transaction, and gives t the next numbers if the database keeps them.
	begin(t *tx) error
	// commit makes the transaction durable. After an error, nothing of it has happened.
	commit(t *tx) error
	// rollback gives the transaction up.
	rollback()
	// spoiled reports whether a statement has failed so that the transaction can only be given up.
	spoiled() bool
	// confirm looks whether what was written is safe, and whether more may be. It also runs from
	// time to time when nothing is written.
	confirm() error
	// watch looks, from time to time, at what others have done: other hosts, or whoever removes files.
	// It returns why it could not look, and logs it.
	watch() error
	// follows sets who takes what others write.
	follows(Follower)
	close() error
}

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

func (s sqliteSession) follows(Follower) {}

// confirm looks at the names of the files, if that is some time ago.
func (s sqliteSession) confirm() error {
	if err := s.safety.refusal(); err == nil && time.Since(s.watched.looked) < watchEvery {
		return nil
	}
	s.watched.looked = time.Now()
	if err := s.watched.look(); err != nil {
		return err
	}
	s.noteFailure(s.progress.look(s.path))
	return nil
}

// close closes the files. The writer goes last: the last connection moves the log into the file.
func (s sqliteSession) close() error {
	s.markClosed()
	s.statements.Close()

	return errors.Join(s.readerPool.Close(), s.writerConn.Close(), s.writerPool.Close())
}
