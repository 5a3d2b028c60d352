package engine

import (
	"testing"
	"time"
)

func writesFor(message int64, n int) []*Write {
	writes := make([]*Write, n)
	for i := range writes {
		writes[i] = &Write{round: Round{Of: message}}
	}
	return writes
}

func TestWritesOfOneMessageWaitForEachOtherByCount(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(Round{Of: 7}, 3, now)

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
	c.expect(Round{Of: 7}, 3, now)
	c.expect(Round{Of: 7, Begins: true}, 2, now)

	claim := &Write{round: Round{Of: 7, Begins: true}}
	c.arrived([]*Write{claim})
	if !c.lacks([]*Write{claim}, now) {
		t.Error("one of two claims does not wait for the other")
	}

	outcome := &Write{round: Round{Of: 7}}
	batch := []*Write{outcome, claim, {round: Round{Of: 7, Begins: true}}}
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
	if c.expect(Round{Of: 7}, 1, now); c.lacks(writesFor(7, 1), now) {
		t.Error("the one write of a message waits")
	}
}

func TestOldCompanyIsForgotten(t *testing.T) {
	now := time.Now()
	c := company{}
	c.expect(Round{Of: 7}, 3, now)
	if c.expect(Round{Of: 8}, 2, now.Add(companyAge+1)); len(c) != 1 {
		t.Errorf("got %v, want only the new one", c)
	}
}
