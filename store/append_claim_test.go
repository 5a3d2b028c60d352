package store

import (
	"testing"

	"parley"
	"parley/internal/must"
)

// A message is claimed as it is stored, unless another one goes first.
func TestAppendClaimsWhatNothingGoesBefore(t *testing.T) {
	s := openWith(t, 4)
	send(t, s, post(0, 1))
	p := post(0, 1, 2, 3)
	p.Deliveries[0].PaneSeq, p.Deliveries[1].PaneSeq = 5, 6
	done := send(t, s, p)

	var got []parley.DeliveryState
	for _, j := range done.Jobs() {
		got = append(got, j.State)
	}
	if len(got) != 3 || got[0] != parley.DeliveryQueued || got[1] != parley.DeliveryTyping ||
		got[2] != parley.DeliveryQueued {
		t.Errorf("got %v, want the second one at typing", got)
	}

	typing := must.Have(s.Deliveries.Typing(t.Context(), agentID(2)))(t)
	if len(typing) != 1 || typing[0].PaneSeq != 6 || typing[0].Key != (Key{done.Seq, agentID(2)}) {
		t.Errorf("got %+v, want the claim under 6", typing)
	}
	must.Do(t, s.Deliveries.Advance(t.Context(), typing[0].Key,
		Change{State: parley.DeliverySubmitted, Evidence: "typed"}))
}
