package tui

import (
	"context"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/tui/room"
)

// The daemon is away at the start, and again in the middle: each event comes once
// and in order, and each loss is reported.
func TestFeedResumesAfterALoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.say(1, "a", []string{"b"}, "one", "normal", parley.DeliveryQueued)
		f.err = gone
		calls := 0
		follow := func(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
			calls++
			if calls == 1 {
				return func(yield func(parley.Event, error) bool) {
					_ = yield(parley.Event{Seq: 3}, nil) && yield(parley.Event{}, gone) &&
						yield(parley.Event{Seq: 4}, nil)
				}
			}

			f.say(2, "a", []string{"b"}, "two", "normal", parley.DeliveryQueued)
			f.say(3, "a", []string{"b"}, "three", "normal", parley.DeliveryQueued)

			return f.follow(ctx, after)
		}

		ctx, cancel := context.WithCancel(t.Context())
		notes, done := make(chan note), make(chan struct{})
		go func() { defer close(done); feed(ctx, f, follow, notes) }()

		var got []int64
		losses := 0
		for len(got) < 6 {
			n := <-notes
			switch {
			case n.err != nil:
				losses++
				f.mu.Lock()
				f.err = nil
				f.mu.Unlock()
			case n.event.Seq > 0:
				got = append(got, n.event.Seq)
			}
		}

		if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6}, got); diff != "" || losses != 2 {
			t.Errorf("%d losses told, want 2; events (-want +got):\n%s", losses, diff)
		}

		cancel()
		<-done
	})
}

func TestGatherMakesOneMessageOfABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notes := make(chan note, 10)
		for i := range 3 {
			notes <- note{event: parley.Event{Seq: int64(i + 1)}}
		}

		msg := gather(t.Context(), notes, time.Now, feedGather).(room.FeedMsg)
		if len(msg.Events) != 3 || msg.Err != nil {
			t.Errorf("got %d events and %v, want all three", len(msg.Events), msg.Err)
		}

		notes <- note{event: parley.Event{Seq: 4}}
		notes <- note{err: gone}
		msg = gather(t.Context(), notes, time.Now, feedGather).(room.FeedMsg)
		if len(msg.Events) != 1 || msg.Err == nil {
			t.Errorf("got %d events and %v, want one and the loss after it", len(msg.Events), msg.Err)
		}
	})
}

func TestGatherEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if msg := gather(ctx, nil, time.Now, feedGather); msg != nil {
		t.Errorf("got %v, want nothing", msg)
	}
}

// That a link of the page was opened is told at once, and not again when the screen opens later.
func TestALinkThatWasOpenedIsTold(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	opened := func(ago time.Duration) room.FeedMsg {
		return room.FeedMsg{At: noon, Events: []parley.Event{{Seq: 900, Type: parley.EventPage, Time: noon.Add(-ago),
			Detail: "a link was opened in Chrome on Android at 192.168.1.7: session parley_Zm9vYmFy"}}}
	}
	s.send(opened(time.Hour))
	s.hides("a link was opened")
	s.send(opened(time.Second))
	s.shows("The page: a link was opened in Chrome on Android at 192.168.1.7")
}
