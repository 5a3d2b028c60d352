// Package events gives out the stream of events, and tells what a team did in a time.
package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
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

// turns lets one of many do something at a time, each caller in turn: who asks a hundred times waits for
// each of the others a hundred times. The zero value is ready.
type turns struct {
	mu      sync.Mutex
	taken   bool
	callers []string // that wait, the next one first
	waiting map[string][]chan struct{}
}

// take waits for the caller's turn. The caller ends it with done.
func (t *turns) take(ctx context.Context, caller string) (done func(), err error) {
	turn := t.ask(caller)
	select {
	case <-turn:
		return t.next, nil
	case <-ctx.Done():
		if !t.withdraw(caller, turn) { // it has come meanwhile
			t.next()
		}
		return nil, ctx.Err()
	}
}

// ask returns what is closed when the caller's turn has come.
func (t *turns) ask(caller string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()

	turn := make(chan struct{})
	if !t.taken {
		t.taken = true
		close(turn)
		return turn
	}

	if t.waiting == nil {
		t.waiting = map[string][]chan struct{}{}
	}
	if len(t.waiting[caller]) == 0 {
		t.callers = append(t.callers, caller)
	}
	t.waiting[caller] = append(t.waiting[caller], turn)

	return turn
}

// withdraw ends waiting; false if the turn has come.
func (t *turns) withdraw(caller string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()

	at := slices.Index(t.waiting[caller], turn)
	if at < 0 {
		return false
	}
	t.waiting[caller] = slices.Delete(t.waiting[caller], at, at+1)
	if len(t.waiting[caller]) == 0 {
		delete(t.waiting, caller)
		t.callers = slices.DeleteFunc(t.callers, func(c string) bool { return c == caller })
	}

	return true
}

// next gives the turn to the next caller.
func (t *turns) next() {
	t.mu.Lock()
	defer t.mu.Unlock()

	if len(t.callers) == 0 {
		t.taken = false
		return
	}

	caller := t.callers[0]
	t.callers = t.callers[1:]
	close(t.waiting[caller][0])
	if t.waiting[caller] = t.waiting[caller][1:]; len(t.waiting[caller]) > 0 {
		t.callers = append(t.callers, caller)
	} else {
		delete(t.waiting, caller)
	}
}
