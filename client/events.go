package client

import (
	"context"
	"iter"
	"slices"

	"parley"
	"parley/op"
)

// A page of the stream: as many events as the daemon returns at once, and a wait
// that stays below its limit.
const (
	pageSize = 1000
	pageWait = 30 // seconds
)

// passing are the failures that end by themselves: a stream waits for that.
var passing = []parley.Code{parley.DaemonUnavailable, parley.StorageUnavailable, parley.RateLimited}

// Events yields the events after a sequence number until ctx ends or the loop is left.
// When the daemon goes away it waits for its return and continues where it was: it
// misses no event and yields none twice. An error is the last value, and waiting does
// not mend it.
func (c *Client) Events(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
	return func(yield func(parley.Event, error) bool) {
		var pauses backoff
		for {
			next := parley.ReadEventsRequest{After: after, Limit: pageSize, WaitSeconds: pageWait}
			page, err := op.ReadEvents.Call(ctx, c, next)
			if ctx.Err() != nil {
				return
			}

			if err != nil {
				if !slices.Contains(passing, parley.ErrorCode(err)) {
					yield(parley.Event{}, err)
					return
				}

				_ = pauses.wait(ctx) // its end is seen above
				continue
			}

			pauses = backoff{}
			for _, event := range page.Events {
				if !yield(event, nil) {
					return
				}
			}

			after = max(after, page.Next)
		}
	}
}
