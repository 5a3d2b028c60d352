package tui

import (
	"context"
	"iter"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/tui/room"
)

const (
	firstEvents = 200                   // events of the past that are read at the start
	feedBuffer  = 1024                  // events that wait for the screen before the stream waits too
	feedBatch   = 1000                  // events in one message to the model
	feedGather  = 16 * time.Millisecond // one frame at 60 a second: nobody sees more
	feedRetry   = time.Second           // between two attempts to reach the daemon
)

// note is one report of the stream: an event, or that the daemon is away, or,
// with neither, that it is there.
type note struct {
	event parley.Event
	err   error
}

// feed reads the newest events and then follows the stream until ctx ends. It
// waits for the screen and drops nothing: the record is in the database, so a
// slow screen costs the daemon only a position to read on from.
func feed(
	ctx context.Context,
	s parley.Service,
	follow func(context.Context, int64) iter.Seq2[parley.Event, error],
	out chan<- note,
) {
	after := readNewest(ctx, s, out)
	for ctx.Err() == nil {
		for e, err := range follow(ctx, after) {
			if err == nil {
				after = max(after, e.Seq)
			}
			if !put(ctx, out, note{event: e, err: err}) {
				return
			}
		}
		_ = wait.Pause(ctx, feedRetry)
	}
}

// readNewest reads the newest events, retrying until it succeeds or ctx ends,
// and returns the sequence number to follow from.
func readNewest(ctx context.Context, s parley.Service, out chan<- note) int64 {
	for ctx.Err() == nil {
		res, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{Last: firstEvents, Limit: firstEvents})
		if err != nil {
			put(ctx, out, note{err: err})
			_ = wait.Pause(ctx, feedRetry)
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

// put reports whether the note was taken before ctx ended.
func put(ctx context.Context, out chan<- note, n note) bool {
	select {
	case out <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

// gather waits for a note and adds those that follow within a frame, so that a
// thousand events a second cost sixty frames and not a thousand. It returns nil
// when ctx ends.
func gather(ctx context.Context, notes <-chan note, now func() time.Time, frame time.Duration) tea.Msg {
	var msg room.FeedMsg
	add := func(n note) {
		msg.Err = n.err
		if n.event.Seq > 0 {
			msg.Events = append(msg.Events, n.event)
		}
	}

	select {
	case n := <-notes:
		add(n)
	case <-ctx.Done():
		return nil
	}

	end := time.NewTimer(frame)
	defer end.Stop()

	for len(msg.Events) < feedBatch {
		select {
		case n := <-notes:
			add(n)
			continue
		case <-end.C:
		case <-ctx.Done():
		}

		break
	}

	msg.At = now()

	return msg
}

// frameOf returns how long events are gathered before they are shown.
func frameOf(still bool) time.Duration {
	if still {
		return time.Second
	}
	return feedGather
}
