package store

import (
	"context"

	"github.com/pressly/goose/v3"
)

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
