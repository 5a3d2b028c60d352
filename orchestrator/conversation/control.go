package conversation

import "time"

// control is the operator's mute and cool of a conversation.
type control struct {
	Muted       bool      `json:"muted,omitempty"`
	CooledUntil time.Time `json:"cooled_until,omitzero"`
}

func (c control) judge(now time.Time) Verdict {
	switch {
	case c.Muted:
		return Verdict{Held: true, Reason: MutedByOperator}
	case c.CooledUntil.After(now):
		return Verdict{Held: true, Reason: CooledDown, Until: c.CooledUntil}
	}
	return Verdict{}
}

// Mute keeps the thread's agents from answering each other until Unmute. They still
// answer people.
func (r *Room) Mute() { r.change().Control.Muted = true }

// Unmute ends Mute.
func (r *Room) Unmute() { r.change().Control.Muted = false }

// Cool keeps the thread's agents from answering each other for ten minutes, or until a
// person writes.
func (r *Room) Cool(now time.Time) { r.change().Control.CooledUntil = now.Add(coolFor) }

// Release lets the thread go on: it ends a cool and a conclusion, and forgets the
// conclusion signals. A mute stays.
func (r *Room) Release() {
	s := r.change()
	s.Control.CooledUntil = time.Time{}
	s.Concluded, s.Signals = false, nil
}

// change returns the state, to be changed.
func (r *Room) change() *roomState {
	r.last = nil
	return &r.state
}

// Mute holds the messages between two agents until Unmute.
func (b *Budgets) Mute(one, other string) { b.pair(one, other).control.Muted = true }

// Unmute ends Mute.
func (b *Budgets) Unmute(one, other string) { b.pair(one, other).control.Muted = false }

// Cool holds the messages between two agents for ten minutes, or until a person writes
// to one of them.
func (b *Budgets) Cool(one, other string, now time.Time) {
	b.pair(one, other).control.CooledUntil = now.Add(coolFor)
}

// Release resets the budgets of a turn: of its chain, of the cycles in the chain, and of
// its two agents. It also ends their cool. A mute stays. With the chain "" it releases
// only the two agents.
func (b *Budgets) Release(t Turn) {
	p := b.pair(t.From, t.To)
	p.turns, p.control.CooledUntil = nil, time.Time{}
	if t.Chain != "" {
		c := b.chain(t)
		c.renew(t.Hop)
	}
}
