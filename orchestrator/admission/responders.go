package admission

import (
	"context"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

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
		n.State, n.Evidence, n.Code = parley.DeliveryRead, "stored; a model is not told of files", parley.ProofStored
	}
	if d.Native != "" && !n.State.Failed() {
		n.State, n.Code, n.Silent = parley.DeliveryUnconfirmed, parley.EndedNative, true
		n.Reason = n.Code.Words(d.Native)
	}
	if d.inCall() && !n.State.Failed() {
		n.State, n.Evidence, n.Code = parley.DeliveryRead, "it came back with its sender's call", parley.ProofCall
	}
	return n
}
