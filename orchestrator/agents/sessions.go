package agents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/internal/sh"
	"parley/op"
	"parley/orchestrator/relay"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/program/profile"
	"parley/program/sessions"
	"parley/tmux"
)

// Sessions does the operations on the conversations that programs keep.
type Sessions struct {
	*relay.Elsewhere
	Roster   *team.Roster
	Profiles profile.Set
	Kept     *sessions.Archive

	taking sync.Mutex // held from a look at who has a conversation until an agent has it
}

func (ss *Sessions) ListSessions(
	ctx context.Context, req parley.ListSessionsRequest,
) (*parley.ListSessionsResult, error) {
	return relay.Across(ctx, ss.Elsewhere, req.Host, op.ListSessions, req, ss.list)
}

func (ss *Sessions) list(ctx context.Context, req parley.ListSessionsRequest) (*parley.ListSessionsResult, error) {
	if known := ss.Kept.Programs(); req.Program != "" && !slices.Contains(known, req.Program) {
		slices.Sort(known)
		return nil, parley.Errorf(parley.InvalidArgument, "where %q keeps its conversations is not known",
			plain.CleanLine(plain.Truncate(req.Program, 64))).With("parameter", "program").
			Suggest("Known are those of %s.", strings.Join(known, ", "))
	}

	found, err := ss.Kept.List(ctx, sessions.Query{Words: req.Query, Program: req.Program, Limit: req.Limit})
	if err != nil {
		return nil, err
	}
	res := &parley.ListSessionsResult{
		Answer: parley.OK, Sessions: found.Sessions, More: found.More, Read: found.Read, Of: found.Of,
	}
	if res.Sessions == nil {
		res.Sessions = []parley.KeptSession{}
	}
	for i := range res.Sessions {
		s := &res.Sessions[i]
		if m := ss.owner(s.ID); m != nil {
			s.Agent = m.Name
		} else if err := ss.continues(s); err != nil {
			s.Refused = err.Error()
		}
	}
	return res, nil
}

// owner returns the agent that has a conversation, nil if none has.
func (ss *Sessions) owner(id string) *team.Member {
	all := ss.Roster.All()
	i := slices.IndexFunc(all, func(m *team.Member) bool { return m.Agent().Session.ID == id })
	if i < 0 {
		return nil
	}
	return all[i]
}

// take completes a launch that takes up a conversation, or refuses it. Until done is called, nobody else takes one.
func (ss *Sessions) take(ctx context.Context, req *parley.LaunchAgentRequest) (done func(), err error) {
	if req.Session == "" {
		return func() {}, nil
	}
	ss.taking.Lock()
	if err := ss.takeUp(ctx, req); err != nil {
		ss.taking.Unlock()
		return nil, err
	}
	return ss.taking.Unlock, nil
}

func (ss *Sessions) takeUp(ctx context.Context, req *parley.LaunchAgentRequest) error {
	if !parley.CallerFrom(ctx).Operator {
		return parley.Errorf(parley.NotAuthorized, "only the operator takes up conversations").
			Suggest("Launch %s without session, or ask the operator: parley launch %[1]s --session %s", req.Name,
				sh.Word(req.Session))
	}
	if req.Sandboxed() {
		return parley.Errorf(parley.InvalidArgument,
			"a sandbox has a home of its own, where the conversation is not found").
			With("parameter", "session").Suggest("Launch %s outside: --sandbox=false", req.Name)
	}

	s, err := ss.find(ctx, req.Session)
	if err == nil {
		err = ss.fits(req, s)
	}
	if err == nil {
		err = ss.continues(s)
	}
	if err == nil {
		err = ss.free(req.Name, s)
	}
	if err == nil {
		req.Session, req.Dir = s.ID, s.Dir
	}
	return err
}

// find returns the conversation that an id, or its beginning, means.
func (ss *Sessions) find(ctx context.Context, id string) (*parley.KeptSession, error) {
	found := ss.Kept.Find(ctx, id)
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, parley.Errorf(parley.InvalidArgument, "no program keeps a conversation %s here", id).
			With("parameter", "session").Suggest("parley sessions lists those that can be taken up.")
	}

	var ids []string
	for _, s := range found[:min(len(found), 5)] {
		ids = append(ids, s.ID)
	}
	return nil, parley.Errorf(parley.InvalidArgument, "%d conversations begin with %s: %s", len(found), id,
		strings.Join(ids, ", ")).With("parameter", "session").Suggest("Give more of the id.")
}

// fits completes the command of a launch, and refuses one that is not for the conversation.
func (ss *Sessions) fits(req *parley.LaunchAgentRequest, s *parley.KeptSession) error {
	if req.Dir != "" && filepath.Clean(req.Dir) != s.Dir {
		return parley.Errorf(parley.InvalidArgument, "the conversation belongs to %s, and not to %s", s.Dir, req.Dir).
			With("parameter", "dir").Suggest("Leave the directory out.")
	}

	p, err := ss.Profiles.Find(s.Program)
	if err != nil {
		return err
	}
	named, known := p, true
	if req.Profile != "" {
		named, err = ss.Profiles.Find(req.Profile)
	} else if len(req.Command) > 0 {
		named, known = ss.Profiles.Launched(req.Command)
	}
	if err != nil {
		return err
	}
	if !known || named.Kept.Files != p.Kept.Files {
		return parley.Errorf(parley.InvalidArgument, "that is a conversation of %s", p.Summary).
			With("parameter", "session").Suggest("Leave profile and command out, or name %s.", p.Name)
	}
	if named.Session.HasOwnSession(req.Command) {
		return parley.Errorf(parley.InvalidArgument, "the command itself says which conversation it continues").
			With("parameter", "command").Suggest("Leave that out there.")
	}
	if len(req.Command) == 0 {
		req.Command = slices.Clone(named.Command)
	}
	return nil
}

// continues refuses a conversation that cannot be continued, or would be lost.
func (ss *Sessions) continues(s *parley.KeptSession) error {
	p, err := ss.Profiles.Find(s.Program)
	if err != nil {
		return err
	}
	if !p.Session.Resumes() {
		return parley.Errorf(parley.InvalidArgument, "parley knows no way to continue a conversation of %s", p.Summary).
			Suggest("Launch it without session, and give it what it needs to know as its prompt.")
	}
	if s.Dir == "" {
		return parley.Errorf(parley.InvalidArgument, "it does not say in which directory it was").
			Suggest("Continue it with the program itself, and then adopt that: parley adopt.")
	}
	if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
		return parley.Errorf(parley.InvalidArgument, "its directory is gone").With("dir", s.Dir).
			Suggest("Make it again, such as with git worktree add, and try again: %s", sh.Word(s.Dir))
	}
	if why, action := ss.Kept.Lost(s.Program); why != "" {
		return parley.Errorf(parley.InvalidArgument, "%s", why).Suggest("%s", action)
	}
	return nil
}

// free refuses a conversation that another agent has, or that is open elsewhere.
func (ss *Sessions) free(name string, s *parley.KeptSession) error {
	if m := ss.owner(s.ID); m != nil && m != ss.Roster.ByName(name) {
		next := "parley attach " + m.Name
		if !m.Agent().State.Live() {
			next = "parley restart " + m.Name
		}
		return parley.Errorf(parley.AgentExists, "that is the conversation of %s (%s)", m.Name, m.Agent().State).
			With("agent", m.Name).Suggest("Go on with that agent: %s", next)
	}

	pid, sure := ss.Kept.Running(s, ss.busy())
	if pid == 0 {
		return nil
	}
	how := "may be open"
	if sure {
		how = "is open"
	}
	return parley.Errorf(parley.AgentUnavailable, "the conversation %s already: %s works in %s (process %d)", how,
		s.Program, s.Dir, pid).With("pid", pid).
		Suggest("End it there first%s. If it runs in your tmux, this makes an agent of it as it is: parley adopt %s",
			ss.ends(s, pid), sh.Word(name))
}

// ends says how a person ends what has a conversation open.
func (ss *Sessions) ends(s *parley.KeptSession, pid int) string {
	if p, err := ss.Profiles.Find(s.Program); err == nil && p.Kept.Live.Ends != "" {
		return ", and if nothing shows it any more: " + p.Kept.Live.Ends
	}
	return fmt.Sprintf(", such as with kill %d", pid)
}

// busy returns the processes of agents whose conversations are known: none of them has another one open.
func (ss *Sessions) busy() (pids []int) {
	for _, m := range ss.Roster.All() {
		if t := m.Terminal(); t != nil && m.Agent().Session.ID != "" {
			below, _ := tmux.Descendants(t.PID) // what cannot be listed may have any
			pids = append(append(pids, t.PID), below...)
		}
	}
	return pids
}
