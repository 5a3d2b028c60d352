package team

import (
	"sync"
	"time"

	"parley"
	"parley/store"
)

// Offers lets the transaction that stores a message claim it for a terminal that waits for one,
// which saves a commit. A courier with nothing to do makes an offer, whoever stores a message may
// take it, and the courier does nothing until that transaction has ended. It still looks before it
// types, and gives the message back if the way is not free. Safe for concurrent use.
type Offers struct {
	mu      sync.Mutex
	open    *Offer         // nobody has taken it; nil: there is none
	taken   *Offer         // by a transaction that has not ended
	coming  parley.Message // that it stores, as it was when the offer was taken
	since   time.Time      // when that was
	claimed *store.Job     // by one that has; nobody has begun to type it
	unsure  bool           // the database may hold an orphaned claim
}

// Offer is what a courier lets others claim.
type Offer struct {
	PaneSeq uint64                     // the next sequence number of the pane
	Takes   func(*parley.Message) bool // reports whether the terminal takes a message now, and whole
}

// Make makes an offer, which ends with Withdraw.
func (o *Offers) Make(offer Offer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = &offer
}

// Take takes the offer for a message, now; nil when there is none. Whoever takes it must end it: with the
// delivery in `typing`, through Enqueue, or with Return.
func (o *Offers) Take(msg *parley.Message, now time.Time) *Offer {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil || o.taken != nil || !o.open.Takes(msg) {
		return nil
	}
	o.taken, o.coming, o.since, o.open = o.open, *msg, now, nil
	return o.taken
}

// Coming returns the message for which the offer was taken, and when it was, while the transaction
// that stores it has not ended.
func (o *Offers) Coming() (msg parley.Message, since time.Time, coming bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken == nil {
		return parley.Message{}, time.Time{}, false
	}
	return o.coming, o.since, true
}

// Return ends an offer that was taken and, as far as its taker knows, not used. It does nothing, and
// reports false, if it has ended already.
func (o *Offers) Return(offer *Offer) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken != offer {
		return false
	}
	o.taken, o.unsure = nil, true
	return true
}

// claim ends the offer on which a delivery was claimed.
func (o *Offers) claim(job store.Job) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taken == nil || o.taken.PaneSeq != job.PaneSeq {
		o.unsure = true // it was dropped meanwhile
		return
	}
	o.taken, o.claimed = nil, &job
}

// Withdraw ends the offer, if nobody has taken it. It returns the message that was claimed on it;
// whether one is just being claimed; and whether a claim can be left in the database that nobody
// knows of.
func (o *Offers) Withdraw() (claimed *store.Job, busy, unsure bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.open = nil
	if o.taken != nil {
		return nil, true, false
	}
	unsure, o.unsure = o.unsure, false
	return o.claimed, false, unsure
}

// Begin takes the claimed message over, to be typed or given back. It reports false when it was
// dropped.
func (o *Offers) Begin(k store.Key) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.claimed == nil || o.claimed.Key != k {
		return false
	}
	o.claimed = nil
	return true
}

// Drop ends all offers and claims as the terminal goes away. It reports whether there was a claim
// whose message nobody has begun to type.
func (o *Offers) Drop() (unbegun bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	unbegun = o.taken != nil || o.claimed != nil
	o.unsure = o.unsure || unbegun
	o.open, o.taken, o.claimed = nil, nil, nil
	return unbegun
}

// arrivals wake those who wait for a message.
type arrivals struct {
	mu   sync.Mutex
	next chan struct{} // closed when a message comes
}

// NotifyArrival wakes all callers that wait for a message to this member: it closes the channel of
// Arrival.
func (a *arrivals) NotifyArrival() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.next)
	a.next = make(chan struct{})
}

// Arrival returns a channel that is closed when the next message comes.
func (a *arrivals) Arrival() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}
