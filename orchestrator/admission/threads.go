package admission

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// PostToThread admits a message to the thread that the draft names. Only participants and the
// operator may post.
func (a *Admission) PostToThread(ctx context.Context, from *team.Member, d Draft) (store.Appended, error) {
	id := strings.ToLower(strings.TrimSpace(d.Message.ThreadID))
	if _, ok := a.Roster.Titles.Find(id); !ok {
		th, err := a.Store.Threads.Thread(ctx, id)
		if err != nil {
			return store.Appended{}, err
		}
		id = th.ID
	}

	operator := parley.CallerFrom(ctx).Operator
	if err := a.Talk.Memory.LoadThread(ctx, id); err != nil {
		return store.Appended{}, err
	}

	d.Message.Kind, d.Message.ThreadID = parley.KindThread, id
	d.Reach = func(ids []string) ([]store.NewDelivery, error) {
		if !operator && !slices.Contains(ids, from.ID) {
			return nil, team.NotParticipant(from, id)
		}
		return a.FirstRungs(ids, from.ID), nil
	}

	return a.Admit(ctx, from, d)
}

// FirstRungs returns the first deliveries to the agents, except the one whose id is except.
func (a *Admission) FirstRungs(ids []string, except string) []store.NewDelivery {
	var ds []store.NewDelivery
	for _, id := range ids {
		if m := a.Roster.ByID(id); m != nil && id != except {
			ds = append(ds, firstRung(m))
		}
	}
	return ds
}

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
