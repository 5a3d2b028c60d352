package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

func TestDeliveryReasonsCountsHeldAndUnconfirmed(t *testing.T) {
	s := openWith(t, 3)
	for range 3 {
		send(t, s, post(0, 1, 2))
	}

	jobs := pending(t, s, 1)
	for _, j := range jobs[:2] {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key, Change{
			State: parley.DeliveryHeld, Reason: "a draft", Code: parley.HoldDraft,
		}))
	}
	must.Do(t, s.Deliveries.Claim(t.Context(), jobs[2].Key, 1, false))
	must.Do(t, s.Deliveries.Advance(t.Context(), jobs[2].Key, Change{
		State: parley.DeliveryUnconfirmed, Reason: "not seen", Code: parley.EndedUnseen,
	}))
	for _, j := range pending(t, s, 2) {
		must.Do(t, s.Deliveries.Advance(t.Context(), j.Key,
			Change{State: parley.DeliverySubmitted, Code: parley.ProofComposer}))
	}

	got, err := s.Workspace.DeliveryReasons(t.Context())
	want := map[parley.DeliveryState]map[parley.ReasonCode]int{
		parley.DeliveryHeld:        {parley.HoldDraft: 2},
		parley.DeliveryUnconfirmed: {parley.EndedUnseen: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}
