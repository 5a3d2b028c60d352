// Package answer answers messages to responders by asking models: what a model is told,
// the calls under way, the replies, and the screen that shows what a model writes.
package answer

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Model answers questions for responders.
type Model interface {
	// Answer asks the model until ctx's deadline. An error is a MODEL_UNAVAILABLE with
	// its reason; the answer then says what was spent.
	Answer(context.Context, parley.ModelQuestion) (parley.ModelAnswer, error)
	// Problem says what keeps a question from being asked, as far as that is known without
	// asking it.
	Problem(parley.ModelQuestion) error
}

// Admission lets replies into the service.
type Admission interface {
	// AdmitReply stores a reply and hands it on. The error is NOT_A_PARTICIPANT when the
	// responder has left the thread.
	AdmitReply(context.Context, Reply) (store.Appended, error)
}

// Pause knows whether communication is paused.
type Pause interface {
	// RefusePaused returns COMMUNICATION_DISABLED while communication is paused.
	RefusePaused() error
	// WaitResumed blocks while communication is paused.
	WaitResumed(context.Context) error
}

// Reply is the answer of a responder: a direct message to the sender of the message that
// it answers, or a post in the same thread.
type Reply struct {
	From    *team.Member // the responder
	To      *team.Member // the sender of Answers
	Answers *parley.Message
	Message parley.Message   // without sender and time
	InCall  bool             // the sender gets it with the answer of its own call
	Call    *store.ModelCall // to the model; nil for the answer to a command
	Forgets bool             // see store.Post
}

// Options are what responders work with. Model may be nil; then none answers.
type Options struct {
	Store     *store.Store
	Roster    *team.Roster
	Admission Admission
	Pause     Pause
	Tools     parley.Service // runs the tools that a model calls
	Model     Model
	Declared  []parley.DeclaredResponder // those of parley.yaml
	Host      string
	Timeout   time.Duration // how long a model has to answer
	MaxCalls  int           // to the model of one responder at once
	Now       func() time.Time
	Log       *slog.Logger
}

// Responders answers for the agents that have a model.
type Responders struct {
	*declarations
	prompts  *prompts
	opts     Options
	store    *store.Store
	roster   *team.Roster
	now      func() time.Time
	log      *slog.Logger
	inflight inflight
	screens  screens
}

// New returns responders that answer until Stop.
func New(opts Options) *Responders {
	rs := &Responders{opts: opts, store: opts.Store, roster: opts.Roster, now: opts.Now, log: opts.Log}
	rs.declarations, rs.prompts = &declarations{&rs.opts}, &prompts{&rs.opts}
	return rs
}

// InFlight returns how many messages are being answered.
func (rs *Responders) InFlight() int { return rs.inflight.len() }

// Stop cancels the calls to models and lets no other begin. Their callers get an error before the
// daemon ends.
func (rs *Responders) Stop() { rs.inflight.stop() }

// Close stops answering and waits until the last call has stored its result.
func (rs *Responders) Close() {
	rs.Stop()
	rs.inflight.group.Wait()
}

// declarations are the responders that parley.yaml and the operator declare.
type declarations struct{ opts *Options }

// LoadDeclared declares the responders of parley.yaml, terminates those that are no
// longer in it, and sets those to idle that were answering when the last daemon ended.
// It leaves out a responder whose name another agent has, with a warning for the
// operator, so that the rest of the team can work.
func (d *declarations) LoadDeclared(ctx context.Context) (warnings []string, err error) {
	var names []string
	for _, one := range d.opts.Declared {
		names = append(names, strings.ToLower(one.Name))
		_, err := d.declare(ctx, one)
		if err == nil {
			continue
		}

		e := parley.AsError(err)
		if e.Code != parley.AgentExists {
			return nil, parley.Errorf(e.Code, "responder %s: %w", one.Name, err).Suggest("%s", e.Action)
		}

		warnings = append(warnings,
			fmt.Sprintf("responder %s of parley.yaml does not answer: %s. %s", one.Name, e.Message, e.Action))
	}

	for _, m := range d.opts.Roster.All() {
		if err := d.settle(ctx, m, names); err != nil {
			return nil, err
		}
	}

	return warnings, nil
}

// settle sets the state of a responder at the start, when names are those of parley.yaml
// in lower case. A responder of another host is left to that host.
func (d *declarations) settle(ctx context.Context, m *team.Member, names []string) error {
	a, own := m.Agent(), d.opts.Store.Hosts.Team().Own
	if a.Responder == nil || own != "" && a.Host != own {
		return nil
	}

	isGone := a.Responder.Origin == parley.FromFile && !slices.Contains(names, strings.ToLower(m.Name))
	switch {
	case isGone && a.State != parley.StateTerminated:
		return d.opts.Roster.Records.SetState(ctx, m, parley.StateTerminated, "it is not in parley.yaml any more", nil)
	case a.State == parley.StateBusy:
		return d.opts.Roster.Records.SetState(ctx, m, parley.StateIdle, "the daemon was started", nil)
	}

	return nil
}

// declare adds a responder or changes one. An agent that asked to be special becomes one.
func (d *declarations) declare(ctx context.Context, one parley.DeclaredResponder) (*team.Member, error) {
	r, now := one.Responder, d.opts.Now()
	a := parley.Agent{
		ID:   team.NewID(),
		Name: one.Name,
		AgentSpec: parley.AgentSpec{
			Description:  plain.CleanLabel(one.Description),
			Role:         plain.CleanLabel(one.Role),
			Capabilities: plain.CleanLabels(one.Capabilities),
			Groups:       plain.CleanLabels(one.Groups),
		},
		State:      parley.StateIdle,
		Since:      now,
		Evidence:   "declared",
		Host:       d.opts.Host,
		CreatedAt:  now,
		LastActive: now,
	}

	Approve(&a, &r)
	m := d.opts.Roster.ByName(one.Name)
	if m == nil {
		if err := d.opts.Store.Agents.CreateAgent(ctx, a, nil); err != nil {
			return nil, err
		}
		m = team.NewMember(a)
		d.opts.Roster.Add(m)
		return m, nil
	}

	m.Changing.Lock()
	defer m.Changing.Unlock()

	old := m.Agent()
	if old.Responder == nil && old.Approval == "" || m.Kind != parley.KindMailbox {
		return nil, parley.Errorf(parley.AgentExists,
			"there is an agent %q already, for which no model answers", m.Name).
			Suggest("Choose another name; parley agents lists those that are taken.")
	}

	a.ID, a.Name, a.CreatedAt, a.LastActive = old.ID, old.Name, old.CreatedAt, old.LastActive
	if old.State != parley.StateTerminated {
		a.State, a.Since, a.Evidence = old.State, old.Since, old.Evidence
	}

	if r.Origin == parley.FromOperator { // what the request leaves out does not change
		a.Description, a.Role = cmp.Or(a.Description, old.Description), cmp.Or(a.Role, old.Role)
		if a.Capabilities == nil {
			a.Capabilities = old.Capabilities
		}
		if a.Groups == nil {
			a.Groups = old.Groups
		}
	}

	if err := d.opts.Store.Responders.SetResponder(ctx, a); err != nil {
		return nil, err
	}

	m.SetAgent(a)

	return m, nil
}

// Add declares the responder of a request; its origin is the operator.
func (d *declarations) Add(ctx context.Context, req parley.AddResponderRequest) (*parley.AddResponderResult, error) {
	if m := d.opts.Roster.ByName(req.Name); m != nil {
		if r := m.Agent().Responder; r != nil && r.Origin == parley.FromFile &&
			m.Agent().State != parley.StateTerminated {
			return nil, parley.Errorf(parley.AgentExists, "%s is declared in parley.yaml", m.Name).
				Suggest("Change it there, and start the daemon again: parley down --keep-agents.")
		}
	}

	m, err := d.declare(ctx, parley.DeclaredResponder{Name: req.Name, Description: req.Description, Role: req.Role,
		Capabilities: req.Capabilities, Groups: req.Groups,
		Responder: parley.Responder{
			ResponderConfig: *req.Config,
			AutoRespond:     req.AutoRespond == nil || *req.AutoRespond,
			Origin:          parley.FromOperator,
		}})
	if err != nil {
		return nil, err
	}

	s := d.status(m)
	res := &parley.AddResponderResult{Answer: parley.OK, AgentID: m.ID, Agent: m.Name, Problem: s.Problem,
		Message: fmt.Sprintf("%s answers by %s.", m.Name, req.Config.Words())}
	if !s.Answers {
		res.Message = fmt.Sprintf("%s does not answer: its messages go to its mailbox.", m.Name)
	}

	return res, nil
}

// List returns all responders and what keeps each from answering.
func (d *declarations) List() *parley.ListRespondersResult {
	res := &parley.ListRespondersResult{Answer: parley.OK, Responders: []parley.ResponderStatus{}}
	for _, m := range d.opts.Roster.All() {
		if m.Agent().Responder != nil {
			res.Responders = append(res.Responders, d.status(m))
		}
	}
	return res
}

func (d *declarations) status(m *team.Member) parley.ResponderStatus {
	a := m.Agent()
	s := parley.ResponderStatus{
		AgentID:   a.ID,
		Agent:     a.Name,
		State:     a.State,
		Approval:  a.Approval,
		Answers:   m.Responder() != nil,
		Responder: *a.Responder,
	}

	if d.opts.Model == nil {
		s.Problem = "this daemon asks no models"
	} else if err := d.opts.Model.Problem(newPrompt(a.Responder)); err != nil {
		s.Problem = err.Error()
	}

	return s
}

// Usage returns what the answers of models cost: in all, by agent, and by call.
func (rs *Responders) Usage(ctx context.Context, req parley.UsageRequest) (*parley.UsageResult, error) {
	q := store.UsageQuery{Calls: req.Calls}
	if req.Since != nil {
		q.Since = *req.Since
	}
	if req.Agent != "" {
		m, err := rs.roster.Find(req.Agent)
		if err != nil {
			return nil, err
		}
		q.AgentID = m.ID
	}

	agents, calls, err := rs.store.Responders.Usage(ctx, q)
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

// Approve makes an agent special. A model answers for it if r says so; otherwise it reads its
// mailbox itself.
func Approve(a *parley.Agent, r *parley.Responder) {
	a.Kind, a.Approval, a.IsSpecial = parley.KindMailbox, parley.ApprovalGiven, true
	if a.Responder = r; r != nil && r.AutoRespond {
		a.Kind, a.AutoRespond = parley.KindResponder, true
	}
}
