package store

import (
	"slices"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// unproven stores a message for one recipient, whose delivery ends without proof.
func unproven(t *testing.T, s *Store, end parley.DeliveryState) (id string, k Key) {
	t.Helper()
	done := send(t, s, post(0, 1))
	k = Key{done.Seq, agentID(1)}
	if end == parley.DeliveryUnconfirmed {
		must.Do(t, s.Deliveries.Claim(t.Context(), k, 7, false))
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, Change{State: end, Reason: "nobody knows"}))
	return done.Message.ID, k
}

func again(n int) []NewDelivery {
	return []NewDelivery{{RecipientID: agentID(n), State: parley.DeliveryQueued, Evidence: "retried"}}
}

func TestRetryQueuesUnprovenDeliveries(t *testing.T) {
	s := openWith(t, 2)
	for _, end := range []parley.DeliveryState{parley.DeliveryUnconfirmed, parley.DeliveryFailed,
		parley.DeliveryExpired} {
		id, k := unproven(t, s, end)
		before := delivery(t, s, id, 1)
		events := s.Events.LastEvent()
		jobs, err := s.Deliveries.Retry(t.Context(), id, again(1))
		if err != nil || len(jobs) != 1 || jobs[0].Key != k || jobs[0].State != parley.DeliveryQueued ||
			jobs[0].Message.ID != id {
			t.Fatalf("%s: got %+v, %v, want its job", end, jobs, err)
		}

		d := delivery(t, s, id, 1)
		last := d.Steps[len(d.Steps)-1]
		if d.State != parley.DeliveryQueued || d.Reason != "" || last.Evidence != "retried" {
			t.Errorf("%s: got %+v", end, d)
		}
		if !slices.Equal(states(d)[:len(before.Steps)], states(before)) {
			t.Errorf("%s: the steps were %v and are %v", end, states(before), states(d))
		}
		if s.Events.LastEvent() != events+1 {
			t.Errorf("%s: %d events, want one", end, s.Events.LastEvent()-events)
		}

		must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
		must.Do(t, s.Deliveries.Advance(t.Context(), k, Change{State: parley.DeliveryRead, Evidence: "seen"}))
	}
}

func TestRetryLeavesProvenAndOpenDeliveries(t *testing.T) {
	s := openWith(t, 2)
	for _, to := range [][]parley.DeliveryState{{}, {"held"}, {"submitted"}, {"read"}} {
		done := send(t, s, post(0, 1))
		for _, state := range to {
			must.Do(t, s.Deliveries.Advance(t.Context(), Key{done.Seq, agentID(1)}, Change{State: state, Reason: "so"}))
		}

		before := delivery(t, s, done.Message.ID, 1)
		jobs, err := s.Deliveries.Retry(t.Context(), done.Message.ID, again(1))
		if d := delivery(t, s, done.Message.ID, 1); err != nil || len(jobs) != 0 || len(d.Steps) != len(before.Steps) {
			t.Errorf("%v: got %+v, %v; the delivery is %+v", to, jobs, err, d)
		}
	}

	id, _ := unproven(t, s, parley.DeliveryUnconfirmed)
	if jobs, err := s.Deliveries.Retry(t.Context(), id, again(0)); err != nil || len(jobs) != 0 {
		t.Errorf("of one who is no recipient: got %+v, %v", jobs, err)
	}
}

// The waiting time of a retried delivery starts from zero: otherwise one that had expired
// would expire again at once.
func TestRetryRestartsExpiry(t *testing.T) {
	s := openWith(t, 2)
	id, _ := unproven(t, s, parley.DeliveryExpired)
	late := time.Now()
	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	if expired, err := s.Deliveries.Expire(t.Context(), late); err != nil || len(expired) != 0 {
		t.Errorf("expired %v, %v; want none", expired, err)
	}
}

func TestTypedAsFindsWhatIsNotProven(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id, k := unproven(t, s, parley.DeliveryUnconfirmed)
	find := func(paneSeq uint64) *TypedJob {
		t.Helper()
		job, err := s.Deliveries.TypedAs(t.Context(), k.RecipientID, paneSeq)
		must.Do(t, err)
		return job
	}

	if got := find(8); got != nil {
		t.Errorf("another number finds %+v", got)
	}
	if got := find(7); got == nil || got.Key != k || got.Waits() || got.Dismissed {
		t.Fatalf("got %+v, want the unconfirmed delivery", got)
	}
	_, err := s.Needs.Dismiss(t.Context(), id)
	must.Do(t, err)
	if got := find(7); got == nil || !got.Dismissed {
		t.Errorf("got %+v, want it dismissed", got)
	}
	_, err = s.Deliveries.Retry(t.Context(), id, again(1))
	must.Do(t, err)
	if got := find(7); got == nil || !got.Waits() || got.Dismissed {
		t.Errorf("after a retry: got %+v, want that it waits", got)
	}
	must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
	if got := find(7); got != nil {
		t.Errorf("typed again: the old number finds %+v", got)
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, Change{State: parley.DeliveryRead, Evidence: "seen"}))
	if got := find(8); got != nil {
		t.Errorf("a proven delivery is found: %+v", got)
	}
}

// The screen shows a text that the program refused, which proves nothing.
func TestTypedAsLeavesOutWhatTheProgramRefused(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 2)
	id, k := unproven(t, s, parley.DeliveryUnconfirmed)
	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	must.Do(t, s.Deliveries.Claim(t.Context(), k, 8, false))
	refused := Change{State: parley.DeliveryUnconfirmed, Code: parley.EndedRefused, Reason: "signed out"}
	must.Do(t, s.Deliveries.Advance(t.Context(), k, refused))
	if got := must.Have(s.Deliveries.TypedAs(t.Context(), k.RecipientID, 8))(t); got != nil {
		t.Errorf("got %+v", got)
	}

	must.Have(s.Deliveries.Retry(t.Context(), id, again(1)))(t)
	if got := must.Have(s.Deliveries.TypedAs(t.Context(), k.RecipientID, 8))(t); got != nil {
		t.Errorf("after a retry: got %+v", got)
	}
}
