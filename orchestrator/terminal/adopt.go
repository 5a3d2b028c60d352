package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/sh"
	"parley/internal/wait"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/tmux"
)

// adoptedPane is a pane of the user's tmux, and the program in its foreground.
type adoptedPane struct {
	server *tmux.Server
	info   tmux.PaneInfo
	pid    int      // of the program
	argv   []string // of the program
}

func (ts *Terminals) AdoptAgent(ctx context.Context, req parley.AdoptAgentRequest) (*parley.AdoptAgentResult, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()

	server, done, err := ts.userServers.use(ctx, req.Socket)
	if err != nil {
		return nil, err
	}
	defer done()

	if req.Sandboxed() {
		return nil, parley.Errorf(parley.InvalidArgument, "a program that runs already cannot be put into a sandbox").
			Suggest("Launch it in one: parley launch NAME --sandbox -- PROGRAM, or adopt it without sandbox.")
	}
	s, err := ts.adopter.inspectPane(ctx, server, req.Pane)
	if err != nil {
		return nil, err
	}

	p, err := ts.adopter.recognise(s, req.Profile)
	if err != nil {
		return nil, err
	}
	if err := ts.refuseEnding(); err != nil {
		return nil, err
	}

	// A caller that goes away must not interrupt it: half an adoption leaves options on the pane.
	whole, cancelWhole := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancelWhole()

	program := team.ProgramID(tmux.ProgramAt(s.pid))
	res, err := ts.adopter.adopt(whole, req, s, p)
	if err != nil {
		return nil, err
	}

	if c := (choice{Profile: p}).say(ctx, ts, req.Profile); c.said && !p.Runs(s.argv) {
		err = ts.places.Add(whole, program, profile.Place{})
	}
	return res, err
}

// inspectPane looks at a pane and finds its foreground program. The error is INVALID_ARGUMENT when the
// pane cannot be the terminal of an agent, and AGENT_EXISTS when it is one already.
func (ad *adopter) inspectPane(ctx context.Context, server *tmux.Server, pane string) (*adoptedPane, error) {
	if server.Instance() == ad.ts.tmux.Instance() {
		return nil, parley.Errorf(parley.InvalidArgument,
			"that tmux is parley's own, and its agents are in the team already").
			Suggest("Name a pane of your own tmux; parley agents lists who is there.")
	}

	info, err := server.Pane(pane).Info(ctx)
	switch {
	case errors.Is(err, tmux.ErrNoPane):
		return nil, parley.Errorf(parley.InvalidArgument, "there is no pane %s on %s", pane, server.SocketPath()).
			Suggest("This lists those that are there: tmux -S %s list-panes -a -F '#{pane_id} #{pane_current_command}'",
				sh.Word(server.SocketPath()))
	case err != nil:
		return nil, tmuxError(err)
	case info.Owner != "":
		return nil, ad.adoptedAlready(info)
	case info.Dead:
		return nil, parley.Errorf(parley.InvalidArgument, "the program in pane %s has ended", pane).
			Suggest("Start it again there, or name another pane.")
	case info.Session == "_hub":
		return nil, parley.Errorf(parley.InvalidArgument, "that tmux server belongs to another parley workspace").
			Suggest("Name a pane of your own tmux.")
	}

	s := &adoptedPane{server: server, info: info}
	if err := s.waitForProgram(ctx); err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "it cannot be told what runs in pane %s: %w", pane, err).
			Suggest("Try again when its program is in the foreground.")
	}

	return s, nil
}

// foregroundTime bounds the wait for a program that is just starting to take the terminal, which takes
// milliseconds.
const foregroundTime = time.Second

// waitForProgram waits until a program has the terminal, and notes it.
func (s *adoptedPane) waitForProgram(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, foregroundTime)
	defer cancel()
	_ = wait.Until(ctx, 10*time.Millisecond, func() (bool, error) {
		s.pid, s.argv, err = tmux.ForegroundProcess(s.info.PID)
		return err == nil, nil
	})
	return err
}

// adoptedAlready refuses a pane that belongs to an agent of this or another workspace.
func (ad *adopter) adoptedAlready(info tmux.PaneInfo) error {
	if m := ad.ts.roster.ByID(info.Owner); m != nil {
		return parley.Errorf(parley.AgentExists, "pane %s is agent %s already", info.ID, m.Name).With("agent", m.Name).
			Suggest("Use it as it is, or let it go first: parley leave %s", m.Name)
	}

	owner := parley.Short(plain.CleanLine(info.Owner))
	return parley.Errorf(parley.AgentExists, "pane %s is an agent of another workspace already (%s)", info.ID, owner).
		Suggest("Let it go there: parley leave NAME. If that workspace no longer exists: "+
			"tmux set-option -pu -t %s @parley_agent", sh.Word(info.ID))
}

// recognise finds the profile of the program in the pane: the one named, or the one whose program it
// is if name is "". It refuses shells, which would take a message for commands, and, without
// a name, those of no profile.
func (ad *adopter) recognise(s *adoptedPane, name string) (*profile.Profile, error) {
	program := profile.ProgramOf(s.argv)
	guess, known := ad.ts.opts.Profiles.Running(s.argv)
	switch {
	case sh.IsShell(s.argv), !known && program == "parley": // typed at the shell's prompt
		return nil, parley.Errorf(parley.InvalidArgument,
			"no agent runs in pane %s, but a shell, which would run messages as commands", s.info.ID).
			Suggest("Start the agent there, then adopt it from another terminal: "+
				"parley adopt NAME --pane %s --socket %s. "+
				"Without an agent, parley register NAME makes a mailbox.",
				sh.Word(s.info.ID), sh.Word(s.server.SocketPath()))
	case name != "":
		return ad.ts.opts.Profiles.Find(name)
	case !known:
		return nil, parley.Errorf(parley.InvalidArgument,
			"%s, which runs in pane %s, is no agent program that parley knows", program, s.info.ID).
			With("program", program).
			Suggest("If it is one, name its profile (%s); "+
				"generic is for any program that reads messages from its terminal, line by line.",
				strings.Join(ad.ts.opts.Profiles.Names(), ", "))
	}

	return guess, nil
}

// adopt makes the program in the pane a member and claims the pane for it. Its context must not end
// with the call.
func (ad *adopter) adopt(
	ctx context.Context, req parley.AdoptAgentRequest, s *adoptedPane, p *profile.Profile,
) (*parley.AdoptAgentResult, error) {
	now, program := ad.ts.now(), profile.ProgramOf(s.argv)
	a := parley.Agent{
		ID:         team.NewID(),
		Name:       req.Name,
		AgentSpec:  parley.CleanSpec(req.AgentSpec),
		Kind:       parley.KindTerminal,
		State:      parley.StateStarting,
		Since:      now,
		Evidence:   "adopted",
		Host:       ad.ts.opts.Host,
		Profile:    p.Name,
		Command:    []string{program}, // without its arguments: nobody gave them to us, and others read this
		Socket:     s.server.SocketPath(),
		Pane:       s.info.ID,
		Seal:       plain.NewSeal(),
		CreatedAt:  now,
		LastActive: now,
	}
	if a.Name == "" {
		a.Name = ad.freeName(p.Name, a.Socket, a.Pane)
	}

	m, err := ad.ts.launcher.enroll(ctx, a, nil) // no key: its calls are recognised by their process
	if err != nil {
		return nil, err
	}
	defer m.Changing.Unlock()

	if err := s.server.Pane(s.info.ID).Claim(ctx, m.ID); err != nil {
		if errors.Is(err, tmux.ErrClaimed) {
			err = parley.Errorf(parley.AgentExists, "pane %s has just become another agent", s.info.ID).
				Suggest("parley agents lists who is there.")
		} else {
			err = tmuxError(err)
		}

		return nil, errors.Join(err, ad.ts.roster.Records.SetState(ctx, m, parley.StateTerminated,
			"could not be adopted", nil))
	}

	ad.give(m, p, s)
	evidence := fmt.Sprintf("adopted: %s in pane %s", program, s.info.ID)
	if err := ad.ts.roster.Records.SetState(ctx, m, parley.StateStarting, evidence, nil); err != nil {
		return nil, err
	}

	res := &parley.AdoptAgentResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		State:   m.Agent().State,
		Profile: p.Name,
		Program: program,
		PID:     s.pid,
		Pane:    s.info.ID,
		Socket:  a.Socket,
		Attach:  s.server.AttachToPane(s.info.ID),
		MCP:     []string{ad.ts.opts.Executable, "mcp", "--workspace", ad.ts.opts.Workspace},

		NativeTool: p.NativeTool,
	}

	if len(p.AddMCP) > 0 {
		res.AddMCP = slices.Concat(p.AddMCP, res.MCP)
	}

	return res, nil
}

// freeName returns base, with a number if another agent has that name. An agent that ran in this
// pane before gets its name back.
func (ad *adopter) freeName(base, socket, pane string) string {
	name := base
	for n := 2; ; n++ {
		m := ad.ts.roster.ByName(name)
		if m == nil {
			return name
		}
		if a := m.Agent(); !a.State.Live() && a.Socket == socket && a.Pane == pane {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// give gives a member the terminal of an adopted program, and drops what an earlier program there
// reported.
func (ad *adopter) give(m *team.Member, p *profile.Profile, s *adoptedPane) {
	t := &team.Terminal{
		Server:    s.server,
		Pane:      s.server.Pane(s.info.ID),
		Profile:   p,
		PID:       s.pid,
		Leader:    s.info.PID,
		Origin:    team.OriginOf(s.pid),
		TTY:       s.info.TTY,
		Instance:  s.server.Instance(),
		Started:   ad.ts.now(),
		IsProgram: programMatcher(p, s.argv),
		Places:    ad.ts.places,
	}

	t.SetInfo(s.info)
	m.Reports.Forget()
	m.SetTerminal(t)
	ad.ts.changes.Add(1)
	m.Wake()
}

// programMatcher returns a function that recognises the program of an adopted agent by its arguments: the
// program that it was, or another one of its profile.
func programMatcher(p *profile.Profile, was []string) func(argv []string) bool {
	program := profile.ProgramOf(was)
	return func(argv []string) bool { return p.Runs(argv) || profile.ProgramOf(argv) == program }
}

// release lets an adopted agent go: once the courier has finished its message, our options leave the
// pane, and the program runs on. The caller holds m.Changing.
func (ad *adopter) release(ctx context.Context, m *team.Member) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()

	t := m.Terminal()
	if t == nil { // it was lost, but our options may still be on its pane
		a := m.Agent()
		if server, done, err := ad.ts.userServers.use(ctx, a.Socket); err == nil {
			defer done()
			_ = server.Pane(a.Pane).Release(ctx, m.ID)
		}
		return nil
	}

	t.Stopping.Store(true)
	m.Typing.Lock()
	defer m.Typing.Unlock()

	if err := t.Pane.Release(ctx, m.ID); err != nil && !errors.Is(err, tmux.ErrNoServer) {
		return tmuxError(err)
	}

	ad.ts.changes.Add(1)

	return nil
}

// refuseRestart refuses to restart an adopted agent, which parley did not start.
func refuseRestart(a parley.Agent) error {
	return parley.Errorf(parley.InvalidArgument,
		"%s was adopted: parley did not start it and does not know how to", a.Name).
		Suggest("Start it in its pane again, and it goes on. "+
			"Or adopt it where it runs now: parley adopt %s --pane ID", a.Name)
}
