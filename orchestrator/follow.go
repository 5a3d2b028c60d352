package orchestrator

import (
	"parley"
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
		r.pause.Set(n.Pause)
		for _, m := range r.roster.All() {
			m.Wake()
		}
	}

	if n.Schedules {
		o.services.schedules.Timetable.Changed()
	}
	r.talk.Memory.Follow(n)
	r.admission.Follow(n)
	for i := range n.Deliveries {
		d := &n.Deliveries[i]
		m := r.roster.ByID(d.RecipientID)
		r.admission.Wake(m)
		if d.Code == parley.HoldHostAway && m != nil && r.roster.Hosts.Here(m) {
			o.Workspace.Returned.Store(true)
		}
	}
}
