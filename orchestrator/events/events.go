// Package events gives out the stream of events, and tells what a team did in a time.
package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/singleflight"

	"parley"
	"parley/orchestrator/meter"
	"parley/orchestrator/overlap"
	"parley/orchestrator/team"
	"parley/store"
)

// Service reads the record of events. A waiting reader returns early when the daemon
// ends.
type Service struct {
	Store    *store.Store
	Roster   *team.Roster
	Overlaps *overlap.Watcher
	Meter    *meter.Meter
	Now      func() time.Time
	Closing  <-chan struct{} // closed when the daemon shuts down
	turns    turns           // of reading a page
	pages    singleflight.Group
}

// ReadEvents does op.ReadEvents.
func (es *Service) ReadEvents(
	ctx context.Context, req parley.ReadEventsRequest,
) (*parley.ReadEventsResult, error) {
	c := parley.CallerFrom(ctx)
	q := store.EventQuery{After: req.After, Limit: cmp.Or(req.Limit, 100), Last: req.Last, For: c.ID}
	if c.Operator {
		q.For = ""
	}

	if last, err := es.newest(ctx, &req); err != nil {
		return nil, err
	} else if req.After > last {
		return nil, parley.Errorf(parley.InvalidArgument, "after is %d, but the last event is %d", req.After, last).
			With("parameter", "after").With("last", last).
			Suggest("Give the next of an earlier answer. If the database is another one now, begin at 0.")
	}

	wait, cancel := context.WithTimeout(ctx, time.Duration(req.WaitSeconds)*time.Second)
	defer cancel()
	defer cancelWhen(es.Closing, cancel)()

	for {
		seen := es.Store.Events.LastEvent()
		events, err := es.list(ctx, c, q, seen)
		if err != nil {
			return nil, err
		}

		res := &parley.ReadEventsResult{Answer: parley.OK, Events: events, Next: max(req.After, seen)}
		if len(events) > 0 {
			res.Next = events[len(events)-1].Seq
			return res, nil
		}

		if res.Events = []parley.Event{}; req.WaitSeconds <= 0 || es.Store.Events.WaitEvent(wait, seen) != nil {
			return res, ctx.Err()
		}
	}
}

// list reads a page, not older than the event seen. Those who want the same page at the same time share it,
// as all streams of one agent do when something happens. Of all but the operator, one reads at a time: 190
// streams that replayed the record kept the operator's call waiting for three seconds.
func (es *Service) list(
	ctx context.Context, c parley.Caller, q store.EventQuery, seen int64,
) ([]parley.Event, error) {
	read := es.pages.DoChan(fmt.Sprint(q, seen), func() (any, error) {
		ctx := context.WithoutCancel(ctx) // others may want it too
		if !c.Operator {
			done, err := es.turns.take(ctx, c.ID)
			if err != nil {
				return nil, err
			}
			defer done()
		}
		return es.Store.Events.List(ctx, q)
	})

	select {
	case page := <-read:
		events, _ := page.Val.([]parley.Event)
		return slices.Clip(events), page.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// newest returns the number of the newest event, as far as the request needs it. What another host has written
// is in the record, and may have been read there, before this daemon has followed it.
func (es *Service) newest(ctx context.Context, req *parley.ReadEventsRequest) (int64, error) {
	if last := es.Store.Events.LastEvent(); req.Last > 0 || req.After <= last {
		return max(last, req.After), nil
	}
	return es.Store.Events.Newest(ctx)
}

// cancelWhen calls cancel when closing is closed. The caller must call stop when it no longer
// needs that.
func cancelWhen(closing <-chan struct{}, cancel func()) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-closing:
			cancel()
		case <-done:
		}
	}()
	return func() { close(done) }
}
