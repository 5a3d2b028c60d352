package orchestrator

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/team"
	"parley/store"
)

// responderService does the operations on responders.
type responderService struct {
	responders *answer.Responders
	meter      *meter.Meter
	roster     *team.Roster
}

// AddResponder does op.AddResponder.
func (rs *responderService) AddResponder(
	ctx context.Context, req parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	return rs.responders.Add(ctx, req)
}

// ListResponders does op.ListResponders.
func (rs *responderService) ListResponders(
	context.Context, parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return rs.responders.List(), nil
}

// Usage does op.Usage.
func (rs *responderService) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	res, err := rs.responders.Usage(ctx, req)
	if err != nil {
		return nil, err
	}

	agentID, since := "", time.Time{}
	if req.Agent != "" {
		m, err := rs.roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		agentID = m.ID
	}
	if req.Since != nil {
		since = *req.Since
	}
	if !parley.CallerFrom(ctx).Operator {
		return res, nil // what programs use is not for agents
	}
	res.Budget = rs.meter.Budget("")
	res.Programs, err = rs.meter.Programs(ctx, agentID, since)

	return res, err
}

// onlyResponder returns m if it is a responder, else nil.
func onlyResponder(m *team.Member) *team.Member {
	if m.Responder() == nil {
		return nil
	}
	return m
}

// answered stores a message with send. If to is a responder it also asks the model and returns
// its reply. inCall means that the reply is returned with the call.
func (a *admission) answered(
	ctx context.Context, to *team.Member, inCall bool, d draft, send func(draft) (store.Appended, error),
) (store.Appended, *parley.Reply, error) {
	if to == nil {
		stored, err := send(d)
		return stored, nil, err
	}

	d.asks = to

	return a.responders.Ask(ctx, to, inCall, func(id string) (store.Appended, error) {
		d.message.ID = id
		return send(d)
	})
}

// inCall reports whether a draft is a reply that is returned with the recipient's own call.
func (d *draft) inCall() bool { return d.reply != nil && d.reply.InCall }

// withinCalls reports whether a message goes back and forth between an agent and a responder
// within the agent's own calls. However often it does, that is one step of the chain.
func (d *draft) withinCalls(from *team.Member) bool {
	return d.inCall() || d.asks != nil && d.replied.SenderID == d.asks.ID && from.Kind != parley.KindHuman
}

// firstRung returns the state in which a delivery of this message begins.
func (d *draft) firstRung(to *team.Member) store.NewDelivery {
	n := firstRung(to)
	n.Silent = n.Silent && d.asks != to
	if d.file != nil && n.Silent {
		n.State, n.Evidence, n.Code = parley.DeliveryRead, "stored; a model is not told of files", parley.ProofStored
	}
	if d.native != "" && !n.State.Failed() {
		n.State, n.Code, n.Silent = parley.DeliveryUnconfirmed, parley.EndedNative, true
		n.Reason = n.Code.Words(d.native)
	}
	if d.inCall() && !n.State.Failed() {
		n.State, n.Evidence, n.Code = parley.DeliveryRead, "it came back with its sender's call", parley.ProofCall
	}
	return n
}
