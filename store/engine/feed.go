package engine

import (
	"context"
	"sync"
	"sync/atomic"
)

// Feed wakes the callers that wait for events. Each publication closes the channel on
// which they wait and replaces it.
type Feed struct {
	last atomic.Int64

	mu     sync.Mutex
	news   chan struct{}
	closed bool
}

// Begin starts with the number of the last event. Nobody waits yet.
func (f *Feed) Begin(last int64) {
	f.last.Store(last)
	if f.news == nil {
		f.news = make(chan struct{})
	}
}

// Last returns the number of the last event, 0 for none.
func (f *Feed) Last() int64 { return f.last.Load() }

// Publish wakes those who wait, when there is a later event than before.
func (f *Feed) Publish(last int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last <= f.last.Load() {
		return
	}
	f.last.Store(last)
	close(f.news)
	f.news = make(chan struct{})
}

// Close wakes all who wait, and those who wait later.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	close(f.news)
	f.news = make(chan struct{})
}

// Wait waits for an event with a higher number. It returns an error when ctx ends or the feed is closed before.
func (f *Feed) Wait(ctx context.Context, after int64) error {
	for {
		f.mu.Lock()
		last, news, closed := f.last.Load(), f.news, f.closed
		f.mu.Unlock()
		switch {
		case last > after:
			return nil
		case closed:
			return ErrClosed
		}

		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
