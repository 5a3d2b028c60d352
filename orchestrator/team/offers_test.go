package team

import (
	"testing"
	"time"

	"parley"
	"parley/store"
)

func TestAnOfferIsUsedOnce(t *testing.T) {
	var o Offers
	at := time.Unix(1_700_000_000, 0)
	key := store.Key{MessageSeq: 1, RecipientID: "a"}
	job := store.Job{Key: key, State: parley.DeliveryTyping, PaneSeq: 7}
	offer := func() *Offer {
		o.Make(Offer{PaneSeq: 7, Takes: func(*parley.Message) bool { return true }})
		return o.Take(&parley.Message{ID: "m"}, at)
	}

	taken := offer()
	if taken == nil || o.Take(&parley.Message{}, at) != nil {
		t.Fatal("it is not taken once")
	}
	if _, busy, _ := o.Withdraw(); !busy {
		t.Error("the courier goes on while its number is being claimed")
	}
	if msg, since, coming := o.Coming(); !coming || msg.ID != "m" || !since.Equal(at) {
		t.Errorf("what is stored on it: %v, %v since %v", msg.ID, coming, since)
	}

	o.claim(job)
	if _, _, coming := o.Coming(); coming {
		t.Error("a message that is stored still comes")
	}
	if claimed, busy, unsure := o.Withdraw(); claimed == nil || busy || unsure {
		t.Errorf("after the claim: %v, busy %v, unsure %v", claimed, busy, unsure)
	}
	if o.Return(taken) || !o.Begin(key) || o.Begin(key) {
		t.Error("a claimed message is begun other than once")
	}

	offer()
	if !o.Drop() || o.Drop() {
		t.Error("it is dropped other than once")
	}
	o.claim(job)
	if claimed, _, unsure := o.Withdraw(); claimed != nil || !unsure {
		t.Errorf("a claim on what was dropped: %v, unsure %v", claimed, unsure)
	}
}
