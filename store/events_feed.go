package store

import (
	"context"
	"errors"

	"parley/store/engine"
)

// LastEvent returns the number of the newest event that this daemon has written or followed, 0 for none.
func (s *Events) LastEvent() int64 { return s.base.Events.Last() }

// Newest returns the number of the newest event in the record, whoever wrote it.
func (s *Events) Newest(ctx context.Context) (last int64, err error) {
	err = s.read(ctx, "reading the newest event", &last, s.base.SQL.LastEvent)
	return last, err
}

// WaitEvent waits for an event with a higher number than after. It returns an error when
// ctx ends or the store is closed before.
func (s *Events) WaitEvent(ctx context.Context, after int64) error {
	defer s.base.Doorbell.Attend()()
	err := s.base.Events.Wait(ctx, after)
	if errors.Is(err, engine.ErrClosed) {
		return errClosed()
	}
	return err
}
