package admission

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// repliesTo returns the full id of the message that a reply names. The sender must have written
// it, got it, or read it in a thread. The reply also answers that message if the sender got it
// and writes back to its author or to the same thread.
func (a *Admission) repliesTo(ctx context.Context, from *team.Member, d *Draft) (string, *store.Answering, error) {
	msg, deliveries, err := a.Access.Visible(ctx, parley.Caller{ID: from.ID}, d.Message.InReplyTo)
	d.Replied = talk.ParentOf(&msg)
	toAuthor := slices.ContainsFunc(d.Recipients, func(m *team.Member) bool { return m.ID == msg.SenderID }) ||
		msg.ThreadID != "" && msg.ThreadID == d.Message.ThreadID
	if err != nil || !toAuthor || !IsRecipient(deliveries, from) {
		return msg.ID, nil, err
	}
	return msg.ID, &store.Answering{MessageID: msg.ID}, nil
}

// IsRecipient reports whether a member has one of the deliveries.
func IsRecipient(deliveries []parley.Delivery, m *team.Member) bool {
	return slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == m.ID })
}

// Addressees finds the agents that a message names.
type Addressees struct{ roster *team.Roster }

// Recipients resolves names; @GROUP stands for the other members of a group. One unknown name fails
// the whole call, and a sender cannot name itself.
func (a *Addressees) Recipients(from *team.Member, names parley.Names) ([]*team.Member, error) {
	if IsEveryone(names) {
		return a.Everyone(from), nil
	}

	var to []*team.Member
	for _, name := range names {
		if group, ok := strings.CutPrefix(name, "@"); ok {
			members, err := a.GroupMembers(a.Everyone(from), group)
			if err != nil {
				return nil, err
			}
			to = appendNew(to, members...)
			continue
		}

		m, err := a.roster.Find(name)
		if err != nil {
			return nil, unsent(name, err)
		}

		if m == from {
			return nil, parley.Errorf(parley.InvalidRecipient, "%s would be sending to itself", from.Name).
				Suggest("Name another agent; get_agent_status lists them.")
		}

		to = appendNew(to, m)
	}

	if len(to) == 0 {
		return nil, parley.Errorf(parley.InvalidRecipient, "no recipient was named").
			Suggest("Name at least one agent in to; get_agent_status lists them.")
	}

	return to, nil
}

// unsent adds to the error for an unknown recipient what the answer to an agent that is gone says.
func unsent(name string, err error) error {
	e := parley.AsError(err)
	if e.Code == parley.AgentNotFound {
		e.Note = failedToSend(plain.CleanLine(plain.Truncate(name, 64)))
	}
	return e
}

// failedToSend is the sentence for a recipient that does not exist or is terminated.
func failedToSend(recipient string) string {
	return fmt.Sprintf("Failed to send message - recipient agent %s may not exist or is terminated",
		parley.Short(recipient))
}

func appendNew(to []*team.Member, more ...*team.Member) []*team.Member {
	for _, m := range more {
		if !slices.Contains(to, m) {
			to = append(to, m)
		}
	}
	return to
}

// IsEveryone reports whether the names stand for all agents.
func IsEveryone(names parley.Names) bool {
	return len(names) == 1 && strings.EqualFold(names[0], parley.Everyone)
}

// Everyone returns the members that are not terminated, without the sender and without the
// operator, who sees all traffic.
func (a *Addressees) Everyone(from *team.Member) []*team.Member {
	return slices.DeleteFunc(a.roster.All(), func(m *team.Member) bool {
		return m == from || m.Kind == parley.KindHuman || m.Agent().State == parley.StateTerminated
	})
}

// GroupMembers returns the members of a group. The error lists the groups that exist.
func (a *Addressees) GroupMembers(members []*team.Member, group string) ([]*team.Member, error) {
	var in []*team.Member
	groups := []string{}
	for _, m := range members {
		own := m.Agent().Groups
		if slices.ContainsFunc(own, func(g string) bool { return strings.EqualFold(g, group) }) {
			in = append(in, m)
		}
		groups = append(groups, own...)
	}

	if len(in) == 0 {
		slices.Sort(groups)
		groups = slices.Compact(groups)
		return nil, parley.Errorf(parley.InvalidRecipient, "group %q has no other member", plain.CleanLine(group)).
			With("groups", groups).Suggest("Groups with other members: %s.", cmp.Or(strings.Join(groups, ", "), "none"))
	}

	return in, nil
}

// ResponderNamed returns the responder that is the only recipient named, else nil.
func (a *Addressees) ResponderNamed(names parley.Names) *team.Member {
	if len(names) != 1 {
		return nil
	}
	m, err := a.roster.Find(names[0])
	if err != nil {
		return nil
	}
	return OnlyResponder(m)
}

// OnlyResponder returns m if it is a responder, else nil.
func OnlyResponder(m *team.Member) *team.Member {
	if m.Responder() == nil {
		return nil
	}
	return m
}

// Answered stores a message with send. If to is a responder it also asks the model and returns
// its reply. inCall means that the reply is returned with the call.
func (a *Admission) Answered(
	ctx context.Context, to *team.Member, inCall bool, d Draft, send func(Draft) (store.Appended, error),
) (store.Appended, *parley.Reply, error) {
	if to == nil {
		stored, err := send(d)
		return stored, nil, err
	}

	d.Asks = to

	return a.Responders.Ask(ctx, to, inCall, func(id string) (store.Appended, error) {
		d.Message.ID = id
		return send(d)
	})
}

// inCall reports whether a draft is a reply that is returned with the recipient's own call.
func (d *Draft) inCall() bool { return d.reply != nil && d.reply.InCall }

// withinCalls reports whether a message goes back and forth between an agent and a responder
// within the agent's own calls. However often it does, that is one step of the chain.
func (d *Draft) withinCalls(from *team.Member) bool {
	return d.inCall() || d.Asks != nil && d.Replied.SenderID == d.Asks.ID && from.Kind != parley.KindHuman
}

// firstRung returns the state in which a delivery of this message begins.
func (d *Draft) firstRung(to *team.Member) store.NewDelivery {
	n := firstRung(to)
	n.Silent = n.Silent && d.Asks != to
	if d.File != nil && n.Silent {
		n.State, n.Cause = parley.DeliveryRead, parley.ProofStored.In("stored; a model is not told of files")
	}
	if d.Native != "" && !n.State.Failed() {
		n.State, n.Cause, n.Silent = parley.DeliveryUnconfirmed, parley.EndedNative.With(d.Native), true
	}
	if d.inCall() && !n.State.Failed() {
		n.State, n.Cause = parley.DeliveryRead, parley.ProofCall.With("it came back with its sender's call")
	}
	return n
}

// PostToThread admits a message to the thread that the draft names. Only participants and the
// operator may post.
func (a *Admission) PostToThread(ctx context.Context, from *team.Member, d Draft) (store.Appended, error) {
	id := strings.ToLower(strings.TrimSpace(d.Message.ThreadID))
	if _, ok := a.Roster.Names.Titles.Find(id); !ok {
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
