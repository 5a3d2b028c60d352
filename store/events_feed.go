package store

import (
	"context"
	"sync"
	"sync/atomic"
)

// LastEvent returns the number of the newest event, 0 if there is none.
func (s *Events) LastEvent() int64 { return s.events.last.Load() }

// WaitEvent returns nil as soon as there is an event with a higher number than
// after, at once if there is one already; else when ctx or the store ends.
func (s *Events) WaitEvent(ctx context.Context, after int64) error {
	return s.events.wait(ctx, after)
}

// feed wakes those who wait for events: each publication closes the channel
// that they wait on and puts a new one in its place.
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
