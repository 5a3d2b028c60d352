package terminal

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/store"
)

// A handoff is stored before the old program ends, and is over when the new one is seen to run. A daemon that comes
// back in between goes on with it: see Handoffs.Resume.

// AboutHandoff is the context reference of what parley itself asks and tells programs at a handoff.
const AboutHandoff = "parley:handoff"

// Handoffs lets other programs go on for agents.
type Handoffs struct{ ts *Terminals }

// NewHandoffs returns the handoffs of agents in these terminals.
func NewHandoffs(ts *Terminals) *Handoffs { return &Handoffs{ts} }

// handing is a change of an agent's program that can be made.
type handing struct {
	parley.Handing
	kept    parley.Handoff
	choice  choice
	launch  *launch
	dropped []string
}

// Check refuses a handoff that cannot be. It changes nothing, and returns the agent.
func (hs *Handoffs) Check(ctx context.Context, req parley.HandoffAgentRequest) (*team.Member, error) {
	m, err := hs.ts.terminalMember(req.Agent)
	if err != nil {
		return nil, err
	}
	m.Changing.Lock()
	defer m.Changing.Unlock()
	_, err = hs.plan(ctx, m, req)
	return m, err
}

// HandOff lets another program go on for an agent, and tells it the briefing. After an error the old program is back,
// as far as that is possible.
func (hs *Handoffs) HandOff(
	ctx context.Context, req parley.HandoffAgentRequest, briefing string,
) (*parley.HandoffAgentResult, error) {
	m, err := hs.ts.terminalMember(req.Agent)
	if err != nil {
		return nil, err
	}

	m.Changing.Lock()
	h, err := hs.plan(ctx, m, req)
	if err == nil {
		h.Briefing, h.By = briefing, parley.CallerFrom(ctx).ID
		err = hs.begin(ctx, m, h)
	}
	if err != nil {
		m.Changing.Unlock()
		return nil, err
	}
	res, err := hs.hand(ctx, m, h)
	m.Changing.Unlock()

	return hs.end(ctx, m, h, res, err)
}

// Resume ends the handoff of an agent that a daemon has begun and not ended. Unless the new program runs, it starts
// now: an old one that still runs may have been told to end. An agent that was stopped meanwhile stays so.
func (hs *Handoffs) Resume(ctx context.Context, m *team.Member, kept parley.Handoff) error {
	m.Changing.Lock()
	next, a := *kept.Next, m.Agent()
	if a.State == parley.StateTerminated {
		defer m.Changing.Unlock()
		kept.Next = nil
		return hs.ts.store.Agents.SetHandoff(ctx, m.ID, kept)
	}

	h, err := hs.between(m, kept, next.From, next.To, nil)
	if err != nil {
		m.Changing.Unlock()
		return err
	}
	h.Handing = next
	res := &parley.LaunchAgentResult{}
	if a.Profile != next.To.Profile || m.Terminal() == nil {
		if err = hs.begin(ctx, m, h); err == nil {
			res, err = hs.hand(ctx, m, h)
		}
	}
	m.Changing.Unlock()

	_, err = hs.end(ctx, m, h, res, err)
	return err
}

// plan returns the handoff that a request asks for. The caller holds m.Changing.
func (hs *Handoffs) plan(
	ctx context.Context, m *team.Member, req parley.HandoffAgentRequest,
) (*handing, error) {
	if err := hs.ts.sessions.learn(ctx, m, m.Terminal()); err != nil {
		return nil, err
	}
	a := m.Agent()
	if a.Adopted() {
		return nil, refuseRestart(a)
	}
	all, err := hs.ts.store.Agents.Handoffs(ctx)
	if err != nil {
		return nil, err
	}
	kept := all[m.ID]

	to := kept.Of(req.To)
	to.Profile = req.To
	if len(req.Command) > 0 {
		to.Command = req.Command
	}
	from := parley.Program{Profile: a.Profile, Command: a.Command, Session: a.Session}
	h, err := hs.between(m, kept, from, to, &req)
	if err != nil {
		return nil, err
	}
	if h.To.Profile == a.Profile {
		return nil, parley.Errorf(parley.InvalidArgument, "%s runs %s already", m.Name, req.To).With("parameter", "to").
			Suggest("Name another program, or start it again: parley restart %s.", sh.Word(m.Name))
	}
	return h, nil
}

// between returns the handoff of a member from one program to another one, which goes on with the session that it
// has. req may be nil. The caller holds m.Changing.
func (hs *Handoffs) between(
	m *team.Member, kept parley.Handoff, from, to parley.Program, req *parley.HandoffAgentRequest,
) (*handing, error) {
	a := m.Agent()
	p, err := choose(hs.ts.opts.Profiles, to.Profile, to.Command)
	if err != nil {
		return nil, err
	}
	l, err := hs.replacement(m, to.Command, p, req)
	if err != nil {
		return nil, err
	}
	if err := hs.ts.opts.Boundary.encloseAgain(&a, p, l, true); err != nil {
		return nil, err
	}
	if a.NoResume {
		to.Session = parley.Session{}
	}
	if l.begin, err = begin(p.Profile, l.Argv, to.Session, team.NewID()); err != nil {
		return nil, err
	}
	h := &handing{kept: kept, choice: p, launch: l}
	h.From, h.To = from, l.program(p)
	program := 1
	if old, err := hs.ts.opts.Profiles.Find(from.Profile); err == nil {
		program = max(program, len(old.Command))
	}
	h.dropped = from.Command[min(program, len(from.Command)):]
	return h, nil
}

// replacement returns the launch of another program in a member's place, in its directory and with its environment.
func (hs *Handoffs) replacement(
	m *team.Member, command []string, p choice, req *parley.HandoffAgentRequest,
) (*launch, error) {
	a, old := m.Agent(), hs.ts.launcher.launches.find(m)
	launching := parley.LaunchAgentRequest{Name: a.Name, Command: command, Dir: a.Dir}
	if req != nil {
		launching.Dir, launching.Env, launching.Model = cmp.Or(a.Dir, req.Dir), req.Env, req.Model
	}
	if old != nil { // what it has goes before what the caller has
		launching.Dir = old.Dir
		launching.Env = maps.Clone(launching.Env)
		if launching.Env == nil {
			launching.Env = map[string]string{}
		}
		for _, entry := range old.Env {
			name, value, _ := strings.Cut(entry, "=")
			launching.Env[name] = value
		}
	}
	if err := mustExist(launching.Dir, &a); err != nil {
		return nil, err
	}
	return hs.ts.launcher.plan(launching, p.Profile)
}

// begin stores a handoff, with a key of its own for the briefing of this start. The caller holds m.Changing.
func (hs *Handoffs) begin(ctx context.Context, m *team.Member, h *handing) error {
	a := m.Agent()
	if err := refuseSandbox(ctx, a.Name, a.AgentSpec, h.launch.Dir, a.Worktree); err != nil {
		return err
	}
	h.Began, h.Key = hs.ts.now(), "handoff "+team.NewID()
	h.kept.Next = &h.Handing
	return hs.ts.store.Agents.SetHandoff(ctx, m.ID, h.kept)
}

// hand ends the old program and starts the new one. The caller holds m.Changing.
func (hs *Handoffs) hand(ctx context.Context, m *team.Member, h *handing) (*parley.LaunchAgentResult, error) {
	a := m.Agent()
	if err := hs.withdrawOwn(ctx, m, "another program goes on"); err != nil {
		return nil, err
	}
	h.launch.first = First{Text: h.Briefing, Key: h.Key, About: AboutHandoff}
	return hs.ts.launcher.replace(ctx, m, a, h.choice, h.launch, "handed over to "+h.choice.Name)
}

// end waits until the new program of an agent is seen to run. If it does not, the old one starts again.
func (hs *Handoffs) end(
	ctx context.Context, m *team.Member, h *handing, res *parley.LaunchAgentResult, err error,
) (*parley.HandoffAgentResult, error) {
	ctx = context.WithoutCancel(ctx) // half a handoff would leave an agent without a program
	if err == nil {
		err = hs.awaitStart(ctx, m)
	}
	if err != nil {
		return nil, hs.handBack(ctx, m, h, err)
	}

	if err := hs.ts.store.Agents.SetHandoff(ctx, m.ID, h.kept.Ended(h.From, h.Began)); err != nil {
		return nil, err
	}
	res.State = m.Agent().State
	return &parley.HandoffAgentResult{
		LaunchAgentResult: *res, From: h.From.Profile, Dropped: h.dropped, Briefing: h.Briefing,
	}, nil
}

// startsWithin is how long a new program is watched: agent programs that cannot start say so and end within a second,
// and on a busy machine within some.
const startsWithin = 10 * time.Second

// awaitStart waits until the program of a member has left the state starting, or startsWithin is over. The error is
// AGENT_UNAVAILABLE if it has ended.
func (hs *Handoffs) awaitStart(ctx context.Context, m *team.Member) error {
	ctx, cancel := context.WithTimeout(ctx, startsWithin)
	defer cancel()
	_ = wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		return m.Agent().State != parley.StateStarting || hs.ts.ending.Load(), nil
	})
	if a := m.Agent(); a.State == parley.StateExited || a.State == parley.StateUnreachable {
		return parley.Errorf(parley.AgentUnavailable, "it ended as it started: %s", a.Evidence).
			Suggest("See why, in a shell.")
	}
	return nil
}

// handBack starts the old program of an agent again, since the new one did not start. It returns the error that says
// so.
func (hs *Handoffs) handBack(ctx context.Context, m *team.Member, h *handing, cause error) error {
	if hs.ts.ending.Load() {
		return cause // the next daemon goes on
	}
	m.Changing.Lock()
	defer m.Changing.Unlock()

	reason := h.choice.Name + " did not start"
	err := hs.withdrawOwn(ctx, m, reason)
	back, failed := hs.between(m, h.kept, h.To, h.From, nil)
	if failed == nil {
		_, failed = hs.ts.launcher.replace(ctx, m, m.Agent(), back.choice, back.launch, "handed back, as "+reason)
	}
	err = errors.Join(err, failed)
	h.kept.Next = nil
	err = errors.Join(err, hs.ts.store.Agents.SetHandoff(ctx, m.ID, h.kept))

	code := parley.ErrorCode(cause)
	if err != nil {
		return parley.Errorf(code, "%s for %s: %w; and %s did not come back: %w", reason, m.Name, cause,
			h.From.Profile, err).Suggest("Start it: parley restart %s.", sh.Word(m.Name))
	}
	return parley.Errorf(code, "%s for %s, and %s is back: %w", reason, m.Name, back.choice.Name, cause).
		Suggest("Correct the cause, and hand it over again: parley handoff %s --to %s.", sh.Word(m.Name), h.choice.Name)
}

// withdrawOwn takes what parley asked or told the program that a member had out of the queue. The caller holds
// m.Changing.
func (hs *Handoffs) withdrawOwn(ctx context.Context, m *team.Member, why string) error {
	jobs, err := hs.ts.store.Deliveries.Pending(ctx, m.ID, 100)
	for i := range jobs {
		if msg := &jobs[i].Message; msg.ContextReference == AboutHandoff {
			_, failed := hs.Withdraw(ctx, m, msg.ID, why)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Withdraw takes a message to a member out of the queue, if it still waits there, and reports whether it did.
func (hs *Handoffs) Withdraw(ctx context.Context, m *team.Member, messageID, why string) (bool, error) {
	m.Typing.Lock()
	defer m.Typing.Unlock()
	jobs, err := hs.ts.store.Deliveries.PendingAmong(ctx, m.ID, []string{messageID})
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	return true, hs.ts.store.Deliveries.Advance(ctx, jobs[0].Key, store.Change{
		State: parley.DeliveryFailed, Cause: parley.EndedWithdrawn.With(why),
	})
}
