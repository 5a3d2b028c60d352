package client

import (
	"context"
	"iter"
	"slices"

	"parley"
)

// A page of the stream: as many events as the daemon returns at once, and a wait
// that stays below its limit.
const (
	pageSize = 1000
	pageWait = 30 // seconds
)

// passing are the failures that end by themselves: a stream waits for that.
var passing = []parley.Code{parley.DaemonUnavailable, parley.StorageUnavailable, parley.RateLimited}

// events is parley.EventService, with a stream.
type events struct{ conn *conn }

// ReadEvents returns a page of events. Events follows them.
func (e events) ReadEvents(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	return call[parley.ReadEventsResult](ctx, e.conn, "read_events", r)
}

// TeamHistory returns what the team did in the last hours.
func (e events) TeamHistory(ctx context.Context, r parley.TeamHistoryRequest) (*parley.TeamHistoryResult, error) {
	return call[parley.TeamHistoryResult](ctx, e.conn, "team_history", r)
}

// Events yields the events after a sequence number until ctx ends or the loop is left.
// When the daemon goes away it waits for its return and continues where it was: it
// misses no event and yields none twice. An error is the last value, and waiting does
// not mend it.
func (e events) Events(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
	return func(yield func(parley.Event, error) bool) {
		var pauses backoff
		for {
			next := parley.ReadEventsRequest{After: after, Limit: pageSize, WaitSeconds: pageWait}
			page, err := e.ReadEvents(ctx, next)
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
