package courier

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/letter"
	"parley/orchestrator/team"
	"parley/store"
)

// A courier with nothing to do offers its next sequence number, so that the transaction that stores
// a message claims it too. Meanwhile the courier looks at the terminal, as it does before every claim.
// From then on the message takes the way of all others, but for its claim: while the way is not free,
// it is given back.

const (
	// staleLook is how long a look may take together with the claim that follows it, and slowClaim how
	// long the claim may take, before the terminal is looked at once more. A database can be slow.
	staleLook = time.Second
	slowClaim = 100 * time.Millisecond
)

// offer makes an offer, if a message that comes now could be typed at once. The screen of a program
// without markers must rest first, from one look to the next, unless its profile waits for nothing.
func (c *courier) offer() {
	t := c.m.Terminal()
	l, v := c.ledger, c.view
	quiet := !l.open && !l.behind && v.stranded == nil && len(c.typist.unread) == 0 && len(c.doors.open) == 0 &&
		!v.memory.Cautious && c.m.Agent().Door != doorAlways
	if t == nil || !quiet || !l.numbered || !t.Profile.HasMarkers() && !t.Profile.Instant() {
		return
	}

	c.m.Offers.Make(team.Offer{PaneSeq: l.seq + 1, Takes: func(msg *parley.Message) bool {
		p := t.Profile
		spent := c.o.Spent != nil && c.o.Spent(c.m.ID) != ""
		return c.m.Terminal() == t && !t.Stopping.Load() && c.m.Agent().State == parley.StateIdle && !spent &&
			(p.Stagger == 0 || !spread(msg)) && p.Fits(letter.Whole(p, msg, c.m, c.o.ShortFooter).Text)
	}})
}

// withdraw ends the offer. It returns the message that was claimed on it, and whether one is just
// being claimed: until that is over, the number is not the courier's.
func (c *courier) withdraw() (claimed *store.Job, busy bool) {
	claimed, busy, unsure := c.m.Offers.Withdraw()
	if c.ledger.open && claimed != nil { // it is resolved with what else was left at typing
		unsure, claimed = c.m.Offers.Drop(), nil
	}
	if unsure {
		c.ledger.leave(nil)
		c.ledger.behind = true
	}
	return claimed, busy
}

// lookAhead looks at the terminal for the message that is being stored on the offer.
func (c *courier) lookAhead(ctx context.Context) {
	msg, since, coming := c.m.Offers.Coming()
	if !coming || c.ahead.messageID == msg.ID {
		return
	}

	c.m.Typing.Lock()
	defer c.m.Typing.Unlock()

	// The couriers of a broadcast share what they see of the machine.
	t := c.m.Terminal()
	if w, h := c.view.ready(ctx, t, &store.Job{Message: msg}, since); h.None() {
		c.ahead = foresight{messageID: msg.ID, on: t, way: w, began: since, ended: c.o.Now()}
	}
}

// holds reports whether the look counts for a message. It may be as old as a claim may take.
func (f *foresight) holds(t *team.Terminal, job *store.Job, now time.Time) bool {
	return f.messageID == job.Message.ID && f.on == t && now.Sub(f.ended) < slowClaim
}
