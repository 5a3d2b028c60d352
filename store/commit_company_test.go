package store

import (
	"testing"
	"time"

	"parley/internal/must"

	"parley"
)

func writesFor(message int64, n int) []*write {
	writes := make([]*write, n)
	for i := range writes {
		writes[i] = &write{round: round{message: message}}
	}
	return writes
}

func TestWritesOfOneMessageWaitForEachOtherByCount(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(round{message: 7}, 3, now)

	batch := writesFor(7, 2)
	c.arrived(batch)
	if !c.lacks(batch, now) {
		t.Error("two of three do not wait for the third")
	}
	if c.lacks(writesFor(8, 1), now) || c.lacks(writesFor(0, 1), now) {
		t.Error("another message's write waits")
	}
	if c.lacks(batch, now.Add(companyAge+1)) {
		t.Error("they wait for one that takes long")
	}

	c.arrived(writesFor(7, 1))
	if c.lacks(batch, now) {
		t.Error("three of three wait")
	}
}

// A claim is for a text that is not typed yet: to wait for the outcomes of others would hold it up.
func TestClaimsWaitForClaimsAlone(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(round{message: 7}, 3, now)
	c.expect(round{message: 7, claims: true}, 2, now)

	claim := &write{round: round{message: 7, claims: true}}
	c.arrived([]*write{claim})
	if !c.lacks([]*write{claim}, now) {
		t.Error("one of two claims does not wait for the other")
	}

	outcome := &write{round: round{message: 7}}
	batch := []*write{outcome, claim, {round: round{message: 7, claims: true}}}
	c.arrived(batch[:1])
	c.arrived(batch[2:])
	if c.lacks(batch, now) {
		t.Error("the claims wait for outcomes")
	}
	if !c.lacks(batch[:1], now) {
		t.Error("one of three outcomes does not wait for the others")
	}
}

func TestAWriteAloneHasNoCompany(t *testing.T) {
	now := time.Now()
	c := company{}
	if c.expect(round{message: 7}, 1, now); c.lacks(writesFor(7, 1), now) {
		t.Error("the one write of a message waits")
	}
}

func TestOldCompanyIsForgotten(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(round{message: 7}, 3, now)
	if c.expect(round{message: 8}, 2, now.Add(companyAge+1)); len(c) != 1 {
		t.Errorf("got %v, want only the new one", c)
	}
}

// The claims of a broadcast are expected after it, and its outcomes after the claims.
func TestEachRoundOfABroadcastExpectsTheNext(t *testing.T) {
	s := openTest(t)
	addAgents(t, s, 4)
	p := post(0, 1, 2, 3)
	for i := range p.Deliveries {
		p.Deliveries[i].State = parley.DeliveryQueued
	}

	stored := must.Have(s.Append(t.Context(), p))(t)
	if got := expectedOf(t, s, round{message: stored.Seq, claims: true}); got != 3 {
		t.Errorf("%d claims are expected, want 3", got)
	}

	for n := range 3 {
		must.Do(t, s.Claim(t.Context(), Key{stored.Seq, agentID(n + 1)}, 1, false))
	}
	if got := expectedOf(t, s, round{message: stored.Seq}); got > 3 {
		t.Errorf("%d outcomes are expected, want 3 at most", got)
	}
}

// expectedOf asks the writing goroutine.
func expectedOf(t *testing.T, s *Store, r round) int {
	t.Helper()
	got := 0
	err := s.write(t.Context(), "asking", func(*tx) error { got = s.company[r].writes; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}
