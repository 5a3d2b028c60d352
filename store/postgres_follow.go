package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/store/engine"
)

// followed is how far this daemon has taken what others wrote. Only the writing goroutine uses it.
type followed struct {
	take   func(q querier, after, last int64) (int64, error) // nil: nobody takes it yet
	last   int64                                             // the last event that was taken, or written here
	began  int64                                             // the last event before the transaction
	looked time.Time
}

// errBehind says that there is more to take before anything is written.
var errBehind = errors.New("others have written much")

// errGap says that events were removed that this daemon has not seen.
var errGap = errors.New("events are missing")

// manyEvents is how far behind a transaction may begin. What it has to take first, it takes while others
// wait for it.
const manyEvents = 200

// follows sets who takes the news, which begin with what was written since Open.
func (s *postgresSession) follows(take func(q querier, after, last int64) (int64, error)) {
	set := func(*tx) error { s.followed.take = take; return nil }
	if err := s.write(context.Background(), "following other hosts", set); err != nil {
		s.log.Error("follow other hosts", "error", err)
	}

	s.doorbell.Begin(s.config, func(ctx context.Context) error {
		_, err := s.readerPool.ExecContext(ctx, `SELECT pg_notify($1, '')`, s.doorbell.Channel)
		return err
	}, func(err error) {
		s.log.Warn("what other hosts write is looked for each second, since the server does not tell of it", "error",
			err)
	})
}

// catchUp takes, in a transaction, what others have written before it.
func (s *postgresSession) catchUp(t *tx) error {
	last := s.began.EventSeq
	f := &s.followed
	f.began = last
	switch {
	case f.take == nil, f.last == last:
		return nil
	case last-f.last > manyEvents:
		f.looked = time.Time{} // watch is to look now, though nobody has rung
		return errBehind
	}
	return s.followTo(t, last)
}

// followTo takes the events up to a number.
func (s *postgresSession) followTo(q querier, last int64) error {
	for f := &s.followed; f.last < last; {
		to, err := f.take(q, f.last, last)
		if errors.Is(err, errGap) {
			return s.refuse(parley.Errorf(parley.StorageUnavailable,
				"this daemon missed what other hosts wrote in %s", s.path).
				Suggest("Start it again: parley down --keep-agents, then any command."))
		}
		if err != nil {
			return err
		}

		f.last = to
		s.events.Publish(to)
	}
	return nil
}

// wroteUpTo notes that a transaction of this daemon was committed, which began after it had caught up.
func (s *postgresSession) wroteUpTo(last int64) {
	if s.followed.last == s.followed.began {
		s.followed.last = last
	}
}

// watch takes what others have written.
func (s *postgresSession) watch() error {
	if s.followed.take == nil || s.safety.Refusal() != nil {
		return nil
	}
	if !s.doorbell.Heard() && s.doorbell.Works() && time.Since(s.followed.looked) < engine.RenewEvery {
		return nil
	}

	s.followed.looked = time.Now()
	var last int64
	err := s.reader.Query(&last, engine.Postgres.LastEvent)
	if err == nil {
		err = s.followTo(s.reader, last)
	}
	if err == nil || s.safety.Refusal() != nil {
		return nil
	}

	s.log.Warn("other hosts cannot be followed now", "error", err)
	return fmt.Errorf("following other hosts: %w", err)
}
