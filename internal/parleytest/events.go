package parleytest

import (
	"slices"
	"strings"
	"time"

	"parley/internal/must"

	"parley"
)

var eventCases = []testCase{
	{"EventsTellOfADirectMessage", eventDirect},
	{"EventsTellOfABroadcast", eventBroadcast},
	{"EventsOfOthersAreHidden", eventsOfOthers},
	{"EventsPageBySequence", eventsPage},
	{"EventsBeginWithTheLast", eventsLast},
	{"EventsWaitForOne", eventsWait},
}

func eventDirect(f *fixture) {
	sent := f.planner.send(strings.Repeat("語", 150), "coder")
	for _, m := range []member{f.operator, f.planner, f.coder} {
		e := findEvent(m.events(0).Events, parley.EventDirectMessage, sent.MessageID)
		if e == nil {
			f.Errorf("%s sees no event of the message", m.name)
			continue
		}

		same(f.T, "event",
			parley.Event{SenderID: e.SenderID, Sender: e.Sender, RecipientID: e.RecipientID, Recipient: e.Recipient},
			parley.Event{SenderID: f.planner.id, Sender: "planner", RecipientID: f.coder.id, Recipient: "coder"})

		same(f.T, "preview", e.Preview, strings.Repeat("語", parley.PreviewLength))
		if e.Seq == 0 || e.Time.IsZero() {
			f.Errorf("the event is %+v", e)
		}
	}
}

func eventBroadcast(f *fixture) {
	sent := f.planner.broadcast(parley.BroadcastMessageRequest{Text: "build is red"})
	for _, m := range []member{f.operator, f.planner, f.coder, f.reviewer} {
		e := findEvent(m.events(0).Events, parley.EventBroadcast, sent.MessageID)
		if e == nil {
			f.Errorf("%s sees no event of the broadcast", m.name)
			continue
		}
		same(f.T, "recipient_count", e.RecipientCount, 2)
	}
}

func eventsOfOthers(f *fixture) {
	secret := f.planner.send("between us", "coder").MessageID
	for _, e := range f.reviewer.events(0).Events {
		if e.MessageID == secret || e.Preview == "between us" {
			f.Errorf("reviewer sees %+v", e)
		}
	}
}

func eventsPage(f *fixture) {
	for range 3 {
		f.planner.send("hello", "coder")
	}

	all := f.operator.events(0)
	paged, after := []parley.Event{}, int64(0)
	for range len(all.Events) + 1 {
		page := do[parley.ReadEventsResult](f.operator, "read_events", parley.ReadEventsRequest{After: after, Limit: 2})
		if len(page.Events) > 2 {
			f.Fatalf("a page of %d events, want 2 at most", len(page.Events))
		}
		if page.Next < after {
			f.Fatalf("next went from %d back to %d", after, page.Next)
		}

		paged, after = append(paged, page.Events...), page.Next
	}

	same(f.T, "events by pages", sequence(paged), sequence(all.Events))
	if !slices.IsSorted(sequence(paged)) {
		f.Errorf("the sequence is not in order: %v", sequence(paged))
	}

	end := f.operator.events(after)
	same(f.T, "events after the last", len(end.Events), 0)
	same(f.T, "next after the last", end.Next, after)
	refused(f.operator, "read_events",
		parley.ReadEventsRequest{After: 999_999_999, WaitSeconds: 1}, parley.InvalidArgument)
}

func eventsLast(f *fixture) {
	for range 3 {
		f.planner.send("hello", "coder")
	}
	all := sequence(f.operator.events(0).Events)
	got := do[parley.ReadEventsResult](f.operator, "read_events", parley.ReadEventsRequest{Last: 2})
	same(f.T, "the newest two", sequence(got.Events), all[len(all)-2:])
	same(f.T, "next", got.Next, all[len(all)-1])
}

func eventsWait(f *fixture) {
	after := f.coder.events(0).Next
	got := make(chan *parley.ReadEventsResult, 1)
	failed := make(chan error, 1)
	go func() {
		res, err := invoke(f.coder, "read_events", parley.ReadEventsRequest{After: after, WaitSeconds: 60})
		if err != nil {
			failed <- err
			return
		}
		got <- res.(*parley.ReadEventsResult)
	}()

	settle()
	f.reviewer.send("not for coder", "planner") // must not end the wait with nothing
	sent := f.planner.send("hello", "coder")
	select {
	case page := <-got:
		for len(page.Events) == 0 { // a page may be empty: the next one is not
			page = do[parley.ReadEventsResult](
				f.coder, "read_events", parley.ReadEventsRequest{After: page.Next, WaitSeconds: 60},
			)
		}
		same(f.T, "message of the event", page.Events[0].MessageID, sent.MessageID)
	case err := <-failed:
		f.Fatal(err)
	case <-time.After(must.Patience):
		f.Fatalf("read_events still waits %v after the message was sent", must.Patience)
	}
}
