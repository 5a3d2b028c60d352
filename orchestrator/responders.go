package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// loadResponders declares those of the team's file, lets those go that are in it no
// more, and forgets that anyone was being answered when the last daemon ended. One whose
// name another agent has is left out: the rest of the team can work.
func (o *Orchestrator) loadResponders(ctx context.Context) error {
	var names []string
	for _, d := range o.opts.Responders {
		names = append(names, strings.ToLower(d.Name))
		_, err := o.declare(ctx, d)
		if err == nil {
			continue
		}

		e := parley.AsError(err)
		if e.Code != parley.AgentExists {
			return parley.Errorf(e.Code, "responder %s: %w", d.Name, err).Suggest("%s", e.Action)
		}

		o.warn("responder %s of parley.yaml does not answer: %s. %s", d.Name, e.Message, e.Action)
	}

	for _, m := range o.roster.All() {
		a := m.Agent()
		if a.Responder == nil {
			continue
		}

		if a.Responder.Origin == parley.FromFile && !slices.Contains(names, strings.ToLower(m.Name)) &&
			a.State != parley.StateTerminated {
			if err := o.roster.SetState(ctx, m, parley.StateTerminated, "it is not in parley.yaml any more", nil); err != nil {
				return err
			}
		}

		if a.State == parley.StateBusy {
			if err := o.roster.SetState(ctx, m, parley.StateIdle, "the daemon was started", nil); err != nil {
				return err
			}
		}
	}

	return nil
}

// warn tells the operator of what could not be done at the start.
func (o *Orchestrator) warn(format string, args ...any) {
	o.warnings = append(o.warnings, fmt.Sprintf(format, args...))
	o.log.Warn(o.warnings[len(o.warnings)-1])
}

// declare makes a responder, or changes one, or makes one of an agent that asked to be
// special.
func (o *Orchestrator) declare(ctx context.Context, d parley.DeclaredResponder) (*team.Member, error) {
	r, now := d.Responder, o.now()
	a := parley.Agent{
		ID:           team.NewID(),
		Name:         d.Name,
		Description:  parley.CleanLine(d.Description),
		Role:         parley.CleanLine(d.Role),
		Capabilities: parley.CleanLines(d.Capabilities),
		Groups:       parley.CleanLines(d.Groups),
		State:        parley.StateIdle,
		Since:        now,
		Evidence:     "declared",
		Host:         o.opts.Host,
		CreatedAt:    now,
		LastActive:   now,
	}

	isAnsweredBy(&a, &r)
	m := o.roster.ByName(d.Name)
	if m == nil {
		if err := o.store.CreateAgent(ctx, a, nil); err != nil {
			return nil, err
		}
		m = team.NewMember(a)
		o.roster.Add(m)
		return m, nil
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	old := m.Agent()
	if old.Responder == nil && old.Approval == "" || m.Kind != parley.KindMailbox {
		return nil, parley.Errorf(parley.AgentExists, "there is an agent %q already, for which no model answers", m.Name).
			Suggest("Choose another name; parley agents lists those that are taken.")
	}

	a.ID, a.Name, a.CreatedAt, a.LastActive = old.ID, old.Name, old.CreatedAt, old.LastActive
	if old.State != parley.StateTerminated {
		a.State, a.Since, a.Evidence = old.State, old.Since, old.Evidence
	}

	if r.Origin == parley.FromOperator { // what is not said again stays
		a.Description, a.Role = cmp.Or(a.Description, old.Description), cmp.Or(a.Role, old.Role)
		if a.Capabilities == nil {
			a.Capabilities = old.Capabilities
		}
		if a.Groups == nil {
			a.Groups = old.Groups
		}
	}

	if err := o.store.SetResponder(ctx, a); err != nil {
		return nil, err
	}

	m.SetAgent(a)

	return m, nil
}

// AddResponder implements parley.ResponderService.
func (o *Orchestrator) AddResponder(
	ctx context.Context,
	req parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	if m := o.roster.ByName(req.Name); m != nil {
		if r := m.Agent().Responder; r != nil && r.Origin == parley.FromFile &&
			m.Agent().State != parley.StateTerminated {
			return nil, parley.Errorf(parley.AgentExists, "%s is declared in parley.yaml", m.Name).
				Suggest("Change it there, and start the daemon again: parley down --keep-agents.")
		}
	}

	m, err := o.declare(ctx, parley.DeclaredResponder{Name: req.Name, Description: req.Description, Role: req.Role,
		Capabilities: req.Capabilities, Groups: req.Groups,
		Responder: parley.Responder{
			ResponderConfig: *req.Config,
			AutoRespond:     req.AutoRespond == nil || *req.AutoRespond,
			Origin:          parley.FromOperator,
		}})
	if err != nil {
		return nil, err
	}

	s := o.responderStatus(m)
	res := &parley.AddResponderResult{Answer: parley.OK, AgentID: m.ID, Agent: m.Name, Problem: s.Problem,
		Message: fmt.Sprintf("%s answers by %s.", m.Name, req.Config.Words())}
	if !s.Answers {
		res.Message = fmt.Sprintf("%s does not answer by itself: its messages go to its mailbox.", m.Name)
	}

	return res, nil
}

// ListResponders implements parley.ResponderService.
func (o *Orchestrator) ListResponders(
	context.Context,
	parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	res := &parley.ListRespondersResult{Answer: parley.OK, Responders: []parley.ResponderStatus{}}
	for _, m := range o.roster.All() {
		if m.Agent().Responder != nil {
			res.Responders = append(res.Responders, o.responderStatus(m))
		}
	}
	return res, nil
}

func (o *Orchestrator) responderStatus(m *team.Member) parley.ResponderStatus {
	a := m.Agent()
	s := parley.ResponderStatus{
		AgentID:   a.ID,
		Agent:     a.Name,
		State:     a.State,
		Approval:  a.Approval,
		Answers:   m.Responder() != nil,
		Responder: *a.Responder,
	}

	if o.opts.Model == nil {
		s.Problem = "this daemon asks no models"
	} else if err := o.opts.Model.Problem(questionTo(a.Responder)); err != nil {
		s.Problem = err.Error()
	}

	return s
}

// Usage implements parley.ResponderService.
func (o *Orchestrator) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	q := store.UsageQuery{Calls: req.Calls, Since: later(req.Since, nil)}
	if req.Agent != "" {
		m, err := o.roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		q.AgentID = m.ID
	}

	agents, calls, err := o.store.Usage(ctx, q)
	if err != nil {
		return nil, err
	}

	res := &parley.UsageResult{Answer: parley.OK, Agents: []parley.AgentUsage{}, Calls: []parley.ModelCall{}}
	for _, a := range agents {
		res.Total.Add(a.Spent)
		res.Agents = append(res.Agents, a)
	}

	for _, c := range calls {
		res.Calls = append(res.Calls, c.ModelCall)
	}

	return res, nil
}

// replyAgain asks a model again, or waits for what is being answered.
func (o *Orchestrator) replyAgain(ctx context.Context, msg *parley.Message, to *team.Member) (*parley.Reply, error) {
	name := exchangeOf(msg, to)
	e, first, err := o.exchanges.begin(name)
	if err != nil {
		return nil, err
	}
	if !first {
		return e.wait(ctx)
	}
	defer o.exchanges.end(name, e)

	_, ds, err := o.store.Message(ctx, msg.ID)
	switch {
	case err != nil:
		e.err = err
	case !slices.Contains(o.leftOpen(msg, ds), to): // it has answered since
		e.err = delivered(msg, o.roster.FillInDeliveries(ds))
	default:
		e.reply, e.err = o.reply(ctx, to, msg, parley.CallerFrom(ctx).ID == msg.SenderID)
	}

	return e.reply, e.err
}

// isAnsweredBy makes an agent one for which a model answers, with everyone's consent; or
// a special one that reads its mailbox itself.
func isAnsweredBy(a *parley.Agent, r *parley.Responder) {
	a.Kind, a.Approval, a.IsSpecial = parley.KindMailbox, parley.ApprovalGiven, true
	if a.Responder = r; r != nil && r.AutoRespond {
		a.Kind, a.AutoRespond = parley.KindResponder, true
	}
}

// unansweredNeeds are the messages to responders that got no answer.
func (o *Orchestrator) unansweredNeeds(ctx context.Context) ([]parley.Need, error) {
	items, err := o.store.NotAnswered(ctx)
	var needs []parley.Need
	for _, item := range items {
		m := o.roster.ByID(item.Delivery.RecipientID)
		if m.Responder() == nil || o.exchanges.find(exchangeOf(&item.Message, m)) != nil {
			continue
		}

		msg, short := o.roster.FillIn(&item.Message), parley.Short(item.Message.ID)
		why := strings.TrimPrefix(cmp.Or(item.Delivery.Reason, notAsked), noAnswer)
		needs = append(
			needs,
			parley.Need{
				Kind:      parley.NeedUnanswered,
				AgentID:   m.ID,
				Agent:     m.Name,
				MessageID: msg.ID,
				Since:     msg.Timestamp,
				Text: fmt.Sprintf(
					"gave no answer to message %s from %s: %s",
					short,
					msg.Sender,
					why,
				),
				Command: fmt.Sprintf("parley retry %s --to %s", short, m.Name),
				Action:  fmt.Sprintf("Ask it again, or let it be with parley needs --dismiss %s.", short),
			},
		)
	}

	return needs, err
}
