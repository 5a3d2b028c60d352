package team

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestWorklogSumsUpWhenAnAgentWasAtWork(t *testing.T) {
	now := noon.Truncate(HourSpan).Add(2 * time.Minute)
	said := func(ago time.Duration, state parley.AgentState) parley.Event {
		return parley.Event{Type: parley.EventAgent, AgentID: "a", Time: now.Add(-ago), State: string(state)}
	}

	w := worklog{}
	w.take(said(3*time.Minute, parley.StateBusy)) // it goes on
	w.take(said(70*time.Minute, parley.StateBusy))
	w.take(said(52*time.Minute, parley.StateIdle))
	w.take(said(20*time.Minute, parley.StateBusy))
	w.take(said(13*time.Minute, parley.StateWaiting))
	w.take(parley.Event{Type: parley.EventDelivery, AgentID: "a", Time: now, State: string(parley.DeliveryRead)})

	want := []int{300, 0, 0, 0, 0, 0, 0, 180, 240, 0, 60, 120}
	status := func(id string, state parley.AgentState) *parley.AgentStatus {
		return &parley.AgentStatus{Agent: parley.Agent{ID: id, State: state, Since: now.Add(-3 * time.Hour)}}
	}
	if got := w.Curve(status("a", parley.StateBusy), now); !slices.Equal(got, want) {
		t.Errorf("it worked %v seconds, want %v", got, want)
	}
	if got := w.Curve(status("b", parley.StateIdle), now); slices.Max(got) != 0 {
		t.Errorf("nothing is known of it, and it worked %v", got)
	}

	// One that has worked for longer than the events tell.
	want = []int{300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 300, 120}
	if got := w.Curve(status("c", parley.StateBusy), now); !slices.Equal(got, want) {
		t.Errorf("it worked %v seconds, want %v", got, want)
	}
}

// The curves count each event once, also those that were read later.
func TestLedgerCountsEachMessageOnce(t *testing.T) {
	var events []parley.Event
	for i := range 8 {
		from, to := "coder", "tester"
		if i%2 == 1 {
			from, to = to, from
		}
		id := fmt.Sprint(i)
		events = append(events,
			parley.Event{Seq: int64(2*i + 1), Type: parley.EventDirectMessage, Time: noon, MessageID: id, Sender: from,
				SenderID: from, Recipient: to, RecipientID: to, RecipientCount: 1},
			parley.Event{Seq: int64(2*i + 2), Type: parley.EventDelivery, Time: noon, MessageID: id, RecipientID: to})
	}

	var l Ledger
	for range 2 {
		for _, e := range events[8:] {
			l.Take(e)
		}
	}
	for range 2 {
		l.TakePast(events)
	}

	if got, want := l.Sum("coder", noon), 8; got != want {
		t.Errorf("%d messages, want %d", got, want)
	}
	if got, want := l.Pairs(noon)[Pair{"coder", "tester"}], 4; got != want {
		t.Errorf("%d messages one way, want %d", got, want)
	}
	if got := l.Sum("coder", noon.Add(2*time.Hour)); got != 0 {
		t.Errorf("%d messages are of an hour that has passed", got)
	}
}
