// Package agents has the operations on agents: mailboxes, terminals, worktrees, programs, doors and responders.
package agents

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/meter"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/program/profile"
	"parley/store"
)

// Service registers mailboxes and reports the state of
// agents.
type Service struct {
	Store    *store.Store
	Roster   *team.Roster
	Programs *trial.Programs
	Meter    *meter.Meter
	Settings *settings.Settings
	Host     string
	Now      func() time.Time

	registrations admission.Registrations
}

// RegisterAgent does op.RegisterAgent.
func (g *Service) RegisterAgent(
	ctx context.Context, req parley.RegisterAgentRequest,
) (*parley.RegisterAgentResult, error) {
	caller := parley.CallerFrom(ctx)
	if caller.Sandboxed { // another one of its would be in no sandbox
		return nil, parley.Errorf(parley.NotAuthorized, "an agent in a sandbox registers no other").
			Suggest("You are in the team already, as %s.", caller.Name)
	}
	if err := g.registrations.Admit(caller, g.Settings.RegistrationsPerMinute, g.Now()); err != nil {
		return nil, err
	}

	key, stored := g.Roster.NewKey(parley.KeyRegistered)
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

	if g.Settings.ApproveNewcomers && comesFromElsewhere(caller) {
		a.Approval, status = parley.ApprovalNewcomer, parley.StatusPendingApproval
	}

	if m := g.stoppedMailbox(ctx, a.Name); m != nil {
		old := m.Agent()
		a.ID, a.Name, a.CreatedAt = old.ID, old.Name, old.CreatedAt
		if err := g.Roster.Revive(ctx, m, a, stored); err != nil {
			return nil, err
		}
	} else {
		if err := g.Store.Agents.CreateAgent(ctx, a, stored); err != nil {
			return nil, err
		}
		m := team.NewMember(a)
		g.Roster.Add(m)
		g.Roster.Keys.Add(m, stored)
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
	return c.Invited || c.Nobody() && c.Address != "" && !admission.IsLoopback(c.Address)
}

// newMailbox returns the mailbox that a request registers.
func (g *Service) newMailbox(req *parley.RegisterAgentRequest) parley.Agent {
	now := g.Now()
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
		Host:       g.Host,
		CreatedAt:  now,
		LastActive: now,
	}
}

// stoppedMailbox returns the terminated mailbox of that name if the operator registers it
// again, else nil. Only the operator may take one over, because the new owner can read its
// unread messages.
func (g *Service) stoppedMailbox(ctx context.Context, name string) *team.Member {
	m := g.Roster.ByName(name)
	if m == nil || !parley.CallerFrom(ctx).Operator || m.Kind != parley.KindMailbox ||
		m.Agent().State != parley.StateTerminated {
		return nil
	}
	return m
}

// GetAgentStatus does op.GetAgentStatus.
func (g *Service) GetAgentStatus(
	ctx context.Context, req parley.AgentStatusRequest,
) (*parley.AgentStatusResult, error) {
	members := g.Roster.All()
	if req.Agent != "" {
		m, err := g.Roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		members = []*team.Member{m}
	}

	counts, err := g.Store.Inbox.Counts(ctx)
	if err != nil {
		return nil, err
	}

	res := &parley.AgentStatusResult{
		Answer: parley.OK,
		Agents: []parley.AgentStatus{},
	}
	caller := parley.CallerFrom(ctx)
	res.You = caller.Name
	if me := g.Roster.ByID(caller.ID); me != nil {
		res.YourSeal = me.Agent().Seal
	}

	now := g.Now()
	for _, m := range members {
		a, c := team.Seen(g.Roster, m), counts[m.ID]
		waitsFor := ""
		if c.HeldCode != "" && m.Kind == parley.KindTerminal && c.HeldCode != parley.HoldConversation {
			cause := admission.RootCause(m, c.HeldCode, c.HeldReason, *c.HeldSince, 0)
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
			Elsewhere:    !g.Roster.Here(m),
			LimitedUntil: admission.LimitedUntil(m, &a),
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
func (g *Service) context(ctx context.Context, m *team.Member) int64 {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return 0
	}
	return g.Meter.Context(m)
}

// checked returns what was found of a member's program, nil if it was not checked or is not for the caller.
func (g *Service) checked(ctx context.Context, m *team.Member) *parley.ProgramCheck {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return nil
	}
	return g.Programs.Checked(m)
}

// today returns what a member's program has used today, nil if that is not known or not for the caller.
func (g *Service) today(ctx context.Context, m *team.Member) *parley.Spending {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return nil
	}
	spent, unknown := g.Meter.Today(m.ID)
	if unknown != "" && spent.Total() == 0 {
		return nil
	}
	return &spent
}
