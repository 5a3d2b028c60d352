package store

import (
	"context"
	"sync"
	"sync/atomic"
)

// LastEvent returns the number of the newest event that this daemon has written or followed, 0 for none.
func (s *Events) LastEvent() int64 { return s.events.last.Load() }

// Newest returns the number of the newest event in the record, whoever wrote it.
func (s *Events) Newest(ctx context.Context) (last int64, err error) {
	err = s.read(ctx, "reading the newest event", &last, s.sql.LastEvent)
	return last, err
}

// WaitEvent waits for an event with a higher number than after. It returns an error when
// ctx ends or the store is closed before.
func (s *Events) WaitEvent(ctx context.Context, after int64) error {
	defer s.doorbell.Attend()()
	return s.events.wait(ctx, after)
}

// feed wakes the callers that wait for events. Each publication closes the channel on
// which they wait and replaces it.
type feed struct {
	last atomic.Int64

	mu     sync.Mutex
	news   chan struct{}
	closed bool
}

func (f *feed) publish(last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last <= f.last.Load() {
		return
	}
	f.last.Store(last)
	close(f.news)
	f.news = make(chan struct{})
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.news)
	f.news = make(chan struct{})
}

func (f *feed) wait(ctx context.Context, after int64) error {
	for {
		f.mu.Lock()
		last, news, closed := f.last.Load(), f.news, f.closed
		f.mu.Unlock()
		switch {
		case last > after:
			return nil
		case closed:
			return errClosed()
		}

		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
