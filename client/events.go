package client

import (
	"context"
	"errors"
	"iter"
	"slices"

	"parley"
)

// A page of the stream: as many events as the daemon gives at once, and a wait
// that stays below what it allows.
const (
	pageSize = 1000
	pageWait = 30 // seconds
)

// mending are the failures that pass: a stream waits for their end.
var mending = []parley.Code{parley.DaemonUnavailable, parley.StorageUnavailable, parley.RateLimited}

// Events follows the record after a sequence number until ctx ends or the loop
// is left. When the daemon goes away it waits for its return and goes on where
// it was: no event is missed and none comes twice. An error is the last value,
// and is one that waiting does not mend.
func (c *Client) Events(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
	return func(yield func(parley.Event, error) bool) {
		for pause := firstPause; ; {
			page, err := c.ReadEvents(
				ctx,
				parley.ReadEventsRequest{After: after, Limit: pageSize, WaitSeconds: pageWait},
			)
			if ctx.Err() != nil {
				return
			}

			if err != nil {
				if !mends(err) {
					yield(parley.Event{}, err)
					return
				}

				wait(ctx, pause)
				pause = min(2*pause, longestWait)
				continue
			}

			pause = firstPause
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
			}

			after = max(after, page.Next)
		}
	}
}

func mends(err error) bool {
	e, ok := errors.AsType[*parley.Error](err)
	return ok && slices.Contains(mending, e.Code)
}
