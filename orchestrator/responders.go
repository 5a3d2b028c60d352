package orchestrator

import (
	"context"

	"parley"
	"parley/orchestrator/answer"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/store"
)

// AddResponder implements parley.ResponderService.
func (o *Orchestrator) AddResponder(
	ctx context.Context,
	req parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	return o.responders.Add(ctx, req)
}

// ListResponders implements parley.ResponderService.
func (o *Orchestrator) ListResponders(
	context.Context,
	parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return o.responders.List(), nil
}

// Usage implements parley.ResponderService.
func (o *Orchestrator) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	return o.responders.Usage(ctx, req)
}

// loadResponders declares the responders of parley.yaml. The operator is warned of those
// that cannot answer.
func (o *Orchestrator) loadResponders(ctx context.Context) error {
	o.responders = answer.New(answer.Options{
		Store:     o.store,
		Roster:    o.roster,
		Admission: admission{o},
		Tools:     o,
		Model:     o.opts.Model,
		Declared:  o.opts.Responders,
		Host:      o.opts.Host,
		Timeout:   o.opts.Settings.ModelTimeout,
		MaxCalls:  o.opts.Settings.ModelCalls,
		Now:       o.now,
		Log:       o.log,
	})

	var err error
	o.warnings, err = o.responders.LoadDeclared(ctx)
	for _, warning := range o.warnings {
		o.log.Warn(warning)
	}

	return err
}

// admission lets the replies of responders into the service.
type admission struct{ o *Orchestrator }

// Admit implements answer.Admission.
func (a admission) Admit(ctx context.Context, r answer.Reply) (store.Appended, error) {
	d := draft{
		message: r.Message,
		answers: &store.Answering{MessageID: r.Answers.ID},
		replied: talk.ParentOf(r.Answers),
		reply:   &r,
	}
	if r.Message.ThreadID != "" {
		caller := parley.Caller{ID: r.From.ID, Name: r.From.Name, Kind: parley.KindResponder}
		return a.o.postToThread(parley.WithCaller(ctx, caller), r.From, d)
	}
	d.recipients = []*team.Member{r.To}
	return a.o.admit(ctx, r.From, d)
}

// RefusePaused implements answer.Admission.
func (a admission) RefusePaused() error { return a.o.refusePaused() }

// WaitResumed implements answer.Admission.
func (a admission) WaitResumed(ctx context.Context) error { return a.o.untilResumed(ctx) }

// responderNamed returns the responder that a message to these names is to be answered
// by. It is nil if there is none or several are named.
func (o *Orchestrator) responderNamed(names parley.Names) *team.Member {
	if len(names) != 1 {
		return nil
	}
	m, err := o.roster.Find(names[0])
	if err != nil || m.Responder() == nil {
		return nil
	}
	return m
}

// answered stores a message with send, and returns the answer of a responder if to is
// one. inCall says that the reply comes back with the call.
func (o *Orchestrator) answered(
	ctx context.Context,
	to *team.Member,
	inCall bool,
	d draft,
	send func(draft) (store.Appended, error),
) (store.Appended, *parley.Reply, error) {
	if to == nil {
		stored, err := send(d)
		return stored, nil, err
	}

	d.asks = to

	return o.responders.Ask(ctx, to, inCall, func(id string) (store.Appended, error) {
		d.message.ID = id
		return send(d)
	})
}

// inCall reports whether a draft is a reply that comes back with its recipient's call.
func (d *draft) inCall() bool { return d.reply != nil && d.reply.InCall }

// withinCalls reports whether a message goes back and forth between an agent and a
// responder within the agent's own calls: however often it does, that is one step of the
// chain.
func (d *draft) withinCalls(from *team.Member) bool {
	return d.inCall() || d.asks != nil && d.replied.SenderID == d.asks.ID && from.Kind != parley.KindHuman
}

// firstRung returns where the delivery of this message begins.
func (d *draft) firstRung(to *team.Member) store.NewDelivery {
	n := firstRung(to)
	n.Silent = n.Silent && d.asks != to
	if d.file != nil && n.Silent {
		n.State, n.Evidence = parley.DeliveryRead, "stored; a model is not told of files"
	}
	if d.inCall() && !n.State.Failed() {
		n.State, n.Evidence = parley.DeliveryRead, "it came back with its sender's call"
	}
	return n
}
