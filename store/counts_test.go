package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestCounts(t *testing.T) {
	s := openWith(t, 4)
	for range 3 {
		send(t, s, post(0, 1, 2))
	}

	jobs := pending(t, s, 1)
	must.Do(t, s.Deliveries.Advance(t.Context(), jobs[0].Key, Change{
		State: parley.DeliveryHeld, Reason: "copy mode", Code: parley.HoldScrolling,
	}))
	must.Do(t, s.Deliveries.Claim(t.Context(), jobs[1].Key, 1, false))
	others := pending(t, s, 2)
	for _, j := range others {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key, Change{State: parley.DeliverySubmitted}))
	}

	got, err := s.Inbox.Counts(t.Context())
	held := jobs[0].Message.Timestamp
	want := map[string]AgentCounts{
		agentID(1): {Unread: 3, Queued: 3, HeldReason: "copy mode", HeldCode: parley.HoldScrolling,
			HeldID: jobs[0].Message.ID, HeldSince: &held},
		agentID(2): {Unread: 3},
	}

	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}

	unread := func(want int) {
		t.Helper()
		if n := must.Have(s.Inbox.Counts(t.Context()))(t)[agentID(2)].Unread; n != want {
			t.Errorf("%d are unread, want %d", n, want)
		}
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), others[0].Key, Change{State: parley.DeliveryRead}))
	unread(2)
	send(t, s, post(0, 2))
	unread(3)

	queued, err := s.Needs.Queued(t.Context())
	if diff := cmp.Diff(map[string]int{agentID(1): 3, agentID(2): 1}, queued); diff != "" || err != nil {
		t.Errorf("queued: %v, -want +got:\n%s", err, diff)
	}
}
