package orchestrator

import (
	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// follow takes over what other hosts have written, and wakes those of this host whom it concerns. The
// store calls it before it stores anything of this host, so it neither writes nor waits.
func (o *Orchestrator) follow(n *store.News) {
	r := &o.rooms
	for _, m := range r.roster.Follow(n) {
		r.couriers.Start(m)
	}
	if n.Paused {
		r.pause.set(n.Pause)
		for _, m := range r.roster.All() {
			m.Wake()
		}
	}

	r.talk.Follow(n)
	r.admission.follow(n)
	for i := range n.Deliveries {
		d := &n.Deliveries[i]
		m := r.roster.ByID(d.RecipientID)
		r.admission.wake(m)
		if d.Code == parley.HoldHostAway && m != nil && r.roster.Here(m) {
			o.Workspace.returned.Store(true)
		}
	}
}

// follow counts what senders sent over other hosts, and wakes the recipients.
func (a *admission) follow(n *store.News) {
	for i := range n.Messages {
		msg := &n.Messages[i]
		a.limits.chargeFollowed(a.roster.ByID(msg.SenderID), msg.Kind)
		for _, d := range msg.Deliveries {
			a.wake(a.roster.ByID(d.RecipientID))
		}
		for _, id := range msg.Concerns {
			a.wake(a.roster.ByID(id))
		}
	}
}

// wake lets a member's courier look into the database, and those who wait for a message to it.
func (a *admission) wake(m *team.Member) {
	if m == nil {
		return
	}
	m.Missed.Store(true)
	m.Wake()
	m.NotifyArrival()
}
