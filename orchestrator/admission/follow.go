package admission

import (
	"parley/orchestrator/team"
	"parley/store"
)

// Follow counts what senders sent over other hosts, and wakes the recipients.
func (a *Admission) Follow(n *store.News) {
	for i := range n.Messages {
		msg := &n.Messages[i]
		a.Limits.chargeFollowed(a.Roster.ByID(msg.SenderID), msg.Kind)
		for _, d := range msg.Deliveries {
			a.Wake(a.Roster.ByID(d.RecipientID))
		}
		for _, id := range msg.Concerns {
			a.Wake(a.Roster.ByID(id))
		}
	}
}

// Wake lets a member's courier look into the database, and those who wait for a message to it.
func (a *Admission) Wake(m *team.Member) {
	if m == nil {
		return
	}
	m.Missed.Store(true)
	m.Wake()
	m.NotifyArrival()
}
