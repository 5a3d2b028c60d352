package orchestrator

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/orchestrator/meter"
	"parley/orchestrator/team"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/program/profile"
	"parley/store"
)

// agentService registers mailboxes and reports the state of
// agents.
type agentService struct {
	store    *store.Store
	roster   *team.Roster
	programs *trial.Programs
	meter    *meter.Meter
	opts     *Options
	now      func() time.Time

	registrations registrations
}

// RegisterAgent does op.RegisterAgent.
func (g *agentService) RegisterAgent(
	ctx context.Context, req parley.RegisterAgentRequest,
) (*parley.RegisterAgentResult, error) {
	caller := parley.CallerFrom(ctx)
	if caller.Sandboxed { // another one of its would be in no sandbox
		return nil, parley.Errorf(parley.NotAuthorized, "an agent in a sandbox registers no other").
			Suggest("You are in the team already, as %s.", caller.Name)
	}
	if err := g.admitNewcomer(caller); err != nil {
		return nil, err
	}

	key, stored := g.roster.NewKey(parley.KeyRegistered)
	a := g.newMailbox(&req)

	status := parley.StatusActive
	if req.Special {
		a.Approval, status = parley.ApprovalPending, parley.StatusPendingApproval
		if req.Config != nil {
			a.Responder = &parley.Responder{
				ResponderConfig: *req.Config,
				AutoRespond:     req.AutoRespond == nil || *req.AutoRespond,
				Origin:          parley.FromRegistration,
			}
			a.AutoRespond = a.Responder.AutoRespond
		}
	}

	if g.opts.Settings.ApproveNewcomers && comesFromElsewhere(caller) {
		a.Approval, status = parley.ApprovalNewcomer, parley.StatusPendingApproval
	}

	if m := g.stoppedMailbox(ctx, a.Name); m != nil {
		old := m.Agent()
		a.ID, a.Name, a.CreatedAt = old.ID, old.Name, old.CreatedAt
		if err := g.roster.Revive(ctx, m, a, stored); err != nil {
			return nil, err
		}
	} else {
		if err := g.store.CreateAgent(ctx, a, stored); err != nil {
			return nil, err
		}
		m := team.NewMember(a)
		g.roster.Add(m)
		g.roster.Keys.Add(m, stored)
	}

	return &parley.RegisterAgentResult{
		Answer:   parley.OK,
		AgentID:  a.ID,
		Username: a.Name,
		APIKey:   key,
		Status:   status,
	}, nil
}

// comesFromElsewhere reports whether a caller without a key is not a process of this user.
func comesFromElsewhere(c parley.Caller) bool {
	return c.Invited || c.Nobody() && c.Address != "" && !isLoopback(c.Address)
}

// newMailbox returns the mailbox that a request registers.
func (g *agentService) newMailbox(req *parley.RegisterAgentRequest) parley.Agent {
	now := g.now()
	return parley.Agent{
		ID:   team.NewID(),
		Name: req.Username,
		AgentSpec: parley.AgentSpec{
			Description:  plain.CleanLabel(req.Description),
			Role:         plain.CleanLabel(req.Role),
			Capabilities: plain.CleanLabels(req.Capabilities),
			Groups:       plain.CleanLabels(req.Groups),
		},
		Kind:       parley.KindMailbox,
		State:      parley.StateIdle,
		Since:      now,
		Evidence:   "registered",
		Host:       g.opts.Host,
		CreatedAt:  now,
		LastActive: now,
	}
}

// stoppedMailbox returns the terminated mailbox of that name if the operator registers it
// again, else nil. Only the operator may take one over, because the new owner can read its
// unread messages.
func (g *agentService) stoppedMailbox(ctx context.Context, name string) *team.Member {
	m := g.roster.ByName(name)
	if m == nil || !parley.CallerFrom(ctx).Operator || m.Kind != parley.KindMailbox ||
		m.Agent().State != parley.StateTerminated {
		return nil
	}
	return m
}

// GetAgentStatus does op.GetAgentStatus.
func (g *agentService) GetAgentStatus(
	ctx context.Context, req parley.AgentStatusRequest,
) (*parley.AgentStatusResult, error) {
	members := g.roster.All()
	if req.Agent != "" {
		m, err := g.roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		members = []*team.Member{m}
	}

	counts, err := g.store.Counts(ctx)
	if err != nil {
		return nil, err
	}

	res := &parley.AgentStatusResult{
		Answer: parley.OK,
		Agents: []parley.AgentStatus{},
	}
	caller := parley.CallerFrom(ctx)
	res.You = caller.Name
	if me := g.roster.ByID(caller.ID); me != nil {
		res.YourSeal = me.Agent().Seal
	}

	now := g.now()
	for _, m := range members {
		a, c := team.Seen(g.roster, m), counts[m.ID]
		waitsFor := ""
		if c.HeldCode != "" && m.Kind == parley.KindTerminal && c.HeldCode != parley.HoldConversation {
			cause := rootCause(m, c.HeldCode, c.HeldReason, *c.HeldSince, 0)
			cause.Agent = "" // it is the agent of the row
			waitsFor = cause.Sentence(now)
		}
		if a.Kind == parley.KindTerminal {
			a.Profile = cmp.Or(a.Profile, profile.Default)
		}
		res.Agents = append(res.Agents, parley.AgentStatus{
			Doing:        doingOf(ctx, m, &a),
			Context:      g.context(ctx, m),
			Today:        g.today(ctx, m),
			Checked:      g.checked(ctx, m),
			Agent:        a,
			Availability: a.AvailabilityAt(now),
			Elsewhere:    !g.roster.Here(m),
			LimitedUntil: limitedUntil(m, &a),
			Unread:       c.Unread,
			Queued:       c.Queued,
			HeldReason:   c.HeldReason,
			HeldCode:     c.HeldCode,
			WaitsFor:     waitsFor,
			HeldMessage:  c.HeldID,
			HeldSince:    c.HeldSince,
			Owed:         c.Owed,
			Overdue:      c.Overdue,
		})
	}

	return res, nil
}

// context returns how many tokens a member's conversation has, 0 if that is not known or not for the caller.
func (g *agentService) context(ctx context.Context, m *team.Member) int64 {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return 0
	}
	return g.meter.Context(m)
}

// checked returns what was found of a member's program, nil if it was not checked or is not for the caller.
func (g *agentService) checked(ctx context.Context, m *team.Member) *parley.ProgramCheck {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return nil
	}
	return g.programs.Checked(m)
}

// today returns what a member's program has used today, nil if that is not known or not for the caller.
func (g *agentService) today(ctx context.Context, m *team.Member) *parley.Spending {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return nil
	}
	spent, unknown := g.meter.Today(m.ID)
	if unknown != "" && spent.Total() == 0 {
		return nil
	}
	return &spent
}
