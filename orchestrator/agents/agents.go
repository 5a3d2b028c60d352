// Package agents has the operations on agents: mailboxes, terminals, worktrees, programs, doors and responders.
package agents

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley"
	"parley/op"
	"parley/orchestrator/admission"
	"parley/orchestrator/answer"
	"parley/orchestrator/meter"
	"parley/orchestrator/relay"
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
	Planned  func(agentID string) *time.Time // when the next planned message for an agent is due
	Now      func() time.Time

	registrations admission.Registrations
}

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
			Planned:      g.planned(ctx, m),
			Context:      g.context(ctx, m),
			Today:        g.today(ctx, m),
			Quota:        g.quota(ctx, m),
			Checked:      g.checked(ctx, m),
			Agent:        a,
			Availability: a.AvailabilityAt(now),
			Elsewhere:    !g.Roster.Hosts.Here(m),
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
		if last := &res.Agents[len(res.Agents)-1]; caller.OnPage() {
			last.Facts = op.AgentFacts(last)
		}
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

// quota returns what is used of the account of a member's program, nil if that is not known or not for the caller.
func (g *Service) quota(ctx context.Context, m *team.Member) *parley.Quota {
	if m.Kind != parley.KindTerminal || !parley.CallerFrom(ctx).Operator {
		return nil
	}
	return g.Meter.Quota(m)
}

// planned returns when the next planned message for a member is due, nil if none is or it is not for the caller.
func (g *Service) planned(ctx context.Context, m *team.Member) *time.Time {
	if !parley.CallerFrom(ctx).Operator {
		return nil
	}
	return g.Planned(m.ID)
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

// doingOf returns what a member's program says in its title, "" if that is not for the caller.
func doingOf(ctx context.Context, m *team.Member, a *parley.Agent) string {
	t := m.Terminal()
	if t == nil || !a.State.Live() || !parley.CallerFrom(ctx).Operator {
		return ""
	}
	return doing(t.Title(), a)
}

// titleParts separate what a title says: "TASK - program", "program | TASK".
var titleParts = strings.NewReplacer(" - ", "\n", " | ", "\n", " · ", "\n", " — ", "\n", " > ", "\n")

// titleNoise are words that name a program or its state, and no work.
var titleNoise = []string{"cli", "code", "agent", "session", "new", "ready", "ai"}

const longestDoing = 120

// doing returns what the title of a terminal says of the program's work, as Claude Code's "✳ Fix the parser" does.
// A part with fewer than two words that do not name the program, its directory or its host says nothing.
func doing(title string, a *parley.Agent) string {
	known := append([]string{a.Name, a.Profile, a.Runs, a.Host, filepath.Base(a.Dir)}, titleNoise...)
	var parts []string
	for part := range strings.SplitSeq(titleParts.Replace(plain.CleanLine(title)), "\n") {
		part = strings.TrimLeftFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		words := slices.DeleteFunc(strings.Fields(part), func(w string) bool {
			w = strings.TrimFunc(w, func(r rune) bool { return unicode.IsPunct(r) })
			return w == "" || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, w) })
		})
		first, _, _ := strings.Cut(part, " ")
		if len(words) > 1 && !strings.Contains(first, "@") { // user@host: directory, as shells write it
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	return plain.Truncate(strings.Join(parts, " · "), longestDoing)
}

// Programs tries the programs of agents.
type Programs struct {
	*relay.Elsewhere
	Roster   *team.Roster
	Programs *trial.Programs
}

func (ps *Programs) CheckProgram(
	ctx context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	return relay.Across(ctx, ps.Elsewhere, ps.HostOf(req.Agent), op.CheckProgram, req, ps.checkHere)
}

// checkHere checks the program of an agent of this host.
func (ps *Programs) checkHere(
	_ context.Context, req parley.CheckProgramRequest,
) (*parley.CheckProgramResult, error) {
	m, err := ps.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}
	profile, version, begins, err := ps.Programs.Check(m)
	if err != nil {
		return nil, err
	}

	does := "is being checked already"
	if begins {
		does = "is being checked in a hidden terminal; parley agents shows what holds"
	}
	return &parley.CheckProgramResult{
		Answer: parley.OK, Profile: profile, Version: version, Message: fmt.Sprintf("%s %s %s.", profile, version,
			does),
	}, nil
}

// Models does the operations on responders.
type Models struct {
	Responders *answer.Responders
	Meter      *meter.Meter
	Roster     *team.Roster
}

func (rs *Models) AddResponder(
	ctx context.Context, req parley.AddResponderRequest,
) (*parley.AddResponderResult, error) {
	return rs.Responders.Add(ctx, req)
}

func (rs *Models) ListResponders(
	context.Context, parley.ListRespondersRequest,
) (*parley.ListRespondersResult, error) {
	return rs.Responders.List(), nil
}

func (rs *Models) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	res, err := rs.Responders.Usage(ctx, req)
	if err != nil {
		return nil, err
	}

	agentID, since := "", time.Time{}
	if req.Agent != "" {
		m, err := rs.Roster.Find(req.Agent)
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
	res.Budget = rs.Meter.Budget("")
	res.Programs, err = rs.Meter.Programs(ctx, agentID, since)

	return res, err
}
