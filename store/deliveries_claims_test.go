package store

import (
	"testing"

	"parley"
	"parley/internal/must"
	"parley/store/engine"
)

// The claims of a broadcast are expected after it, and its outcomes after the claims.
func TestEachRoundOfABroadcastExpectsTheNext(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)
	p := post(0, 1, 2, 3)
	for i := range p.Deliveries {
		p.Deliveries[i].State = parley.DeliveryQueued
	}

	stored := must.Have(s.Messages.Append(t.Context(), p))(t)
	if got := expectedOf(t, s, claimOf(stored.Seq)); got != 3 {
		t.Errorf("%d claims are expected, want 3", got)
	}

	for n := range 3 {
		must.Do(t, s.Deliveries.Claim(t.Context(), Key{stored.Seq, agentID(n + 1)}, 1, false))
	}
	if got := expectedOf(t, s, outcomeOf(stored.Seq)); got > 3 {
		t.Errorf("%d outcomes are expected, want 3 at most", got)
	}
}

// expectedOf asks the writing goroutine.
func expectedOf(t *testing.T, s *Store, r engine.Round) int {
	t.Helper()
	got := 0
	err := s.db.write(t.Context(), "asking", func(*tx) error { got = s.db.base.Queue.Expected(r); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}
