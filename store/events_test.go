package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestAgentSeesItsOwnEvents(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)                                                             // events 1-4: everyone sees those
	send(t, s, post(0, 1))                                                         // 5
	send(t, s, post(2, 3))                                                         // 6
	send(t, s, post(2, 0, 1))                                                      // 7: a broadcast
	must.Do(t, s.Deliveries.Claim(t.Context(), pending(t, s, 3)[0].Key, 1, false)) // 8: of message 6
	must.Do(t, s.Deliveries.Claim(t.Context(), pending(t, s, 1)[0].Key, 1, false)) // 9: of message 5
	for who, want := range map[string]string{
		"":         "[1 2 3 4 5 6 7 8 9]",
		agentID(0): "[1 2 3 4 5 7 9]",
		agentID(1): "[1 2 3 4 5 7 9]",
		agentID(2): "[1 2 3 4 6 7 8]",
		agentID(3): "[1 2 3 4 6 8]",
	} {
		events := must.Have(s.Events.List(t.Context(), EventQuery{Limit: 100, For: who}))(t)

		var seqs []int64
		for _, e := range events {
			seqs = append(seqs, e.Seq)
		}

		if got := fmt.Sprint(seqs); got != want {
			t.Errorf("agent %q: got %s, want %s", who, got, want)
		}
	}

	last, err := s.Events.List(t.Context(), EventQuery{Last: 2, For: agentID(2), After: 1000, Limit: 1})
	if err != nil || len(last) != 2 || last[0].Seq != 7 || last[1].Seq != 8 {
		t.Errorf("the last two: got %+v, %v", last, err)
	}

	page, err := s.Events.List(t.Context(), EventQuery{After: 2, Limit: 3})
	if err != nil || len(page) != 3 || page[0].Seq != 3 {
		t.Errorf("a page: got %+v, %v", page, err)
	}
}

func TestWaitEventWakes(t *testing.T) {
	s := openWith(t, 2)
	if err := s.Events.WaitEvent(t.Context(), 1); err != nil {
		t.Errorf("for one that is there: %v", err)
	}

	woken := make(chan error)
	for range 10 {
		go func() { woken <- s.Events.WaitEvent(context.Background(), 2) }()
	}

	send(t, s, post(0, 1))
	for range 10 {
		if err := <-woken; err != nil {
			t.Error(err)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	go func() { woken <- s.Events.WaitEvent(ctx, 99) }()
	cancel()
	if err := <-woken; !errors.Is(err, context.Canceled) {
		t.Errorf("when its context ends: got %v", err)
	}

	go func() { woken <- s.Events.WaitEvent(context.Background(), 99) }()
	must.Do(t, s.Close())
	wantCode(t, "when the store closes", <-woken, parley.StorageUnavailable)
}

func TestEventsOfDeliveriesHaveTheReasonCode(t *testing.T) {
	s := openWith(t, 2)
	send(t, s, post(0, 1))
	job := pending(t, s, 1)[0]
	must.Do(t, s.Deliveries.Advance(t.Context(), job.Key, Change{
		State: parley.DeliveryHeld, Cause: parley.HoldDraft.In("a draft"),
	}))

	events, err := s.Events.List(t.Context(), EventQuery{Last: 1})
	if err != nil || len(events) != 1 {
		t.Fatalf("got %+v, %v", events, err)
	}
	if got := events[0]; got.State != "held" || got.Detail != "a draft" || got.ReasonCode != parley.HoldDraft {
		t.Errorf("the event is %+v, want held with the code %s", got, parley.HoldDraft)
	}
}
