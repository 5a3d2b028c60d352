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
		writes[i] = &write{message: message}
	}
	return writes
}

func TestWritesOfOneMessageWaitForEachOtherByCount(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(7, 3, now)

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

func TestAWriteAloneHasNoCompany(t *testing.T) {
	now := time.Now()
	c := company{}
	if c.expect(7, 1, now); c.lacks(writesFor(7, 1), now) {
		t.Error("the one write of a message waits")
	}
}

func TestOldCompanyIsForgotten(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(7, 3, now)
	if c.expect(8, 2, now.Add(companyAge+1)); len(c) != 1 {
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
	if got := expectedOf(t, s, stored.Seq); got != 3 {
		t.Errorf("%d claims are expected, want 3", got)
	}

	for n := range 3 {
		must.Do(t, s.Claim(t.Context(), Key{stored.Seq, agentID(n + 1)}, 1, false))
	}
	if got := expectedOf(t, s, stored.Seq); got > 3 {
		t.Errorf("%d outcomes are expected, want 3 at most", got)
	}
}

// expectedOf asks the writing goroutine.
func expectedOf(t *testing.T, s *Store, message int64) int {
	t.Helper()
	got := 0
	err := s.write(t.Context(), "asking", func(*tx) error { got = s.company[message].writes; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return got
}
