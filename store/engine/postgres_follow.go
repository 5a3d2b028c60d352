package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// followed is how far this daemon has taken what others wrote. Only the writing goroutine uses it.
type followed struct {
	take   func(q Querier, after, last int64) (int64, error) // nil: nobody takes it yet
	last   int64                                             // the last event that was taken, or written here
	began  int64                                             // the last event before the transaction
	looked time.Time
}

// ManyEvents is how far behind a transaction may begin. What it has to take first, it takes while others
// wait for it.
const ManyEvents = 200

// Follow sets who takes the news, which begin with what was written since Open.
func (s *ServerSession) Follow(take func(q Querier, after, last int64) (int64, error)) {
	set := func(*Tx) error { s.followed.take = take; return nil }
	if err := s.Base.Write(context.Background(), Round{}, set); err != nil {
		s.Base.Log.Error("follow other hosts", "error", err)
	}

	s.Base.Doorbell.Begin(s.Config, func(ctx context.Context) error {
		_, err := s.Base.ReaderPool.ExecContext(ctx, `SELECT pg_notify($1, '')`, s.Base.Doorbell.Channel)
		return err
	}, func(err error) {
		s.Base.Log.Warn("what other hosts write is looked for each second, since the server does not tell of it",
			"error",
			err)
	})
}

// catchUp takes, in a transaction, what others have written before it.
func (s *ServerSession) catchUp(t *Tx) error {
	last := s.began.EventSeq
	f := &s.followed
	f.began = last
	switch {
	case f.take == nil, f.last == last:
		return nil
	case last-f.last > ManyEvents:
		f.looked = time.Time{} // watch is to look now, though nobody has rung
		return errBehind
	}
	return s.followTo(t, last)
}

// followTo takes the events up to a number.
func (s *ServerSession) followTo(q Querier, last int64) error {
	for f := &s.followed; f.last < last; {
		to, err := f.take(q, f.last, last)
		if errors.Is(err, ErrGap) {
			return s.refuse(&MissedError{Place: s.Base.Path})
		}
		if err != nil {
			return err
		}

		f.last = to
		s.Base.Events.Publish(to)
	}
	return nil
}

// wroteUpTo notes that a transaction of this daemon was committed, which began after it had caught up.
func (s *ServerSession) wroteUpTo(last int64) {
	if s.followed.last == s.followed.began {
		s.followed.last = last
	}
}

// Watch takes what others have written.
func (s *ServerSession) Watch() error {
	if s.followed.take == nil || s.Base.Safety.Refusal() != nil {
		return nil
	}
	if !s.Base.Doorbell.Heard() && s.Base.Doorbell.Works() && time.Since(s.followed.looked) < RenewEvery {
		return nil
	}

	s.followed.looked = time.Now()
	var last int64
	err := s.Base.Reader.Query(&last, Postgres.LastEvent)
	if err == nil {
		err = s.followTo(s.Base.Reader, last)
	}
	if err == nil || s.Base.Safety.Refusal() != nil {
		return nil
	}

	s.Base.Log.Warn("other hosts cannot be followed now", "error", err)
	return fmt.Errorf("following other hosts: %w", err)
}
