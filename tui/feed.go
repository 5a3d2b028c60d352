package tui

import (
	"context"
	"iter"
	"time"

	"parley"
)

const (
	firstEvents = 200                   // how much of the past is read at the start
	feedBuffer  = 1024                  // events that wait for the screen before the stream does
	feedBatch   = 1000                  // events in one message to the model
	feedGather  = 16 * time.Millisecond // one frame at 60 a second: more often is not seen
	feedRetry   = time.Second           // between two tries to reach the daemon
)

// note is one thing that the stream said: an event, or that the daemon is away,
// or (neither) that it is there.
type note struct {
	event parley.Event
	err   error
}

// feed reads the newest events and then follows, until ctx ends. It waits for
// the screen and never drops anything: the record is in the database, so a slow
// screen costs the daemon nothing but a place to read on from.
func feed(ctx context.Context, s parley.Service,
	follow func(context.Context, int64) iter.Seq2[parley.Event, error], out chan<- note) {
	after := begin(ctx, s, out)
	for ctx.Err() == nil {
		for e, err := range follow(ctx, after) {
			if err == nil {
				after = max(after, e.Seq)
			}
			if !put(ctx, out, note{event: e, err: err}) {
				return
			}
		}
		pause(ctx, feedRetry)
	}
}

// begin reads the newest events, again until it succeeds, and returns the number
// to go on from.
func begin(ctx context.Context, s parley.Service, out chan<- note) int64 {
	for ctx.Err() == nil {
		res, err := s.ReadEvents(ctx, parley.ReadEventsRequest{Last: firstEvents, Limit: firstEvents})
		if err != nil {
			put(ctx, out, note{err: err})
			pause(ctx, feedRetry)
			continue
		}

		put(ctx, out, note{})
		for _, e := range res.Events {
			put(ctx, out, note{event: e})
		}

		return res.Next
	}

	return 0
}

func put(ctx context.Context, out chan<- note, n note) bool {
	select {
	case out <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
