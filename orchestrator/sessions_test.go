package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/program/sessions"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// oldSessions are the beginnings of the ids of a user's conversations.
const (
	inParser = "11111111-0000"
	inGone   = "22222222-0000"
	ofGemini = "33333333-0000"
	twice    = "44444444-0000"
)

// newTeamWithSessions starts a team of a user who has talked to Claude and Gemini before. The profile old runs a
// program that tells its arguments in place of Claude.
func newTeamWithSessions(t *testing.T) (te *testTeam, parser string) {
	t.Helper()
	home := t.TempDir()
	parser = filepath.Join(home, "parser")
	must.Do(t, os.Mkdir(parser, 0o700))
	write := func(name, text string) {
		path := filepath.Join(home, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for id, dir := range map[string]string{
		inParser + "-4000-8000-000000000000": parser, inGone + "-4000-8000-000000000000": "/nowhere",
		twice + "-4000-8000-000000000000": parser, twice + "-4000-8000-000000000001": parser,
	} {
		write(".claude/projects/-x/"+id+".jsonl",
			fmt.Sprintf(`{"type":"user","cwd":%q,"message":{"content":"mend the parser"}}`, dir)+"\n")
	}
	write(".gemini/tmp/parser/.project_root", parser)
	write(".gemini/tmp/parser/chats/session-x-33333333.jsonl",
		`{"sessionId":"33333333-0000-4000-8000-000000000000"}`+"\n"+`{"type":"user","content":[{"text":"mend the parser"}]}`+"\n")
	program := filepath.Join(home, "claude")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"ran: $*\"\nread x\n"), 0o700))

	te = newTeam(t, func(o *Options) {
		set := must.Have(o.Profiles.With("old",
			fmt.Appendf(nil, "{extends: claude, command: [%q], markers: {idle: '', composer: ''}}", program)))(t)
		o.Profiles = set
		o.Daemon.Kept = sessions.Options{
			Home: home, Env: func(string) string { return "" }, Index: filepath.Join(home, "index.db"),
		}
	})
	return te, parser
}

func TestAConversationFromBeforeIsTakenUp(t *testing.T) {
	te, parser := newTeamWithSessions(t)
	res := must.Have(op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
		Name: "ann", Profile: "old", Session: inParser,
	}))(t)
	if res.Dir != parser || res.Conversation != parley.ConversationResumed {
		t.Errorf("got %+v", res)
	}
	tmuxtest.WaitFor(t, te.pane("ann"), func(s tmux.Screen) bool {
		return tmuxtest.Shows(s, "ran: --resume "+inParser+"-4000-8000-000000000000")
	})

	wanted := parley.ListSessionsRequest{Query: "mend parser", Limit: 20}
	list := must.Have(op.ListSessions.Call(te.operator(), te, wanted))(t)
	if len(list.Sessions) != 5 || list.Read != 5 || list.Of != 5 {
		t.Fatalf("got %+v", list)
	}
	for _, s := range list.Sessions {
		gone, gemini := s.Dir == "/nowhere", s.Program == "gemini"
		if (s.Agent == "ann") != strings.HasPrefix(s.ID, inParser) || (s.Refused != "") != (gone || gemini) {
			t.Errorf("got %+v", s)
		}
	}

	// It stays the agent's after its end.
	for _, next := range []string{"parley attach ann", "parley restart ann"} {
		_, err := op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{
			Name: "bob", Profile: "old", Session: inParser,
		})
		if e := parley.AsError(err); e.Code != parley.AgentExists || !strings.Contains(e.Action, next) {
			t.Errorf("got %v (%s)", err, e.Action)
		}
		te.stop("ann")
	}
	te.start(parley.LaunchAgentRequest{Name: "ann", Profile: "old", Session: inParser})
}

func TestAConversationThatCannotBeTakenUpIsRefused(t *testing.T) {
	te, _ := newTeamWithSessions(t)
	sandbox := true
	for _, test := range []struct {
		req        parley.LaunchAgentRequest
		code       parley.Code
		says, next string
	}{
		{
			parley.LaunchAgentRequest{Session: "99999999"},
			parley.InvalidArgument, "no program keeps", "parley sessions",
		},
		{parley.LaunchAgentRequest{Session: twice}, parley.InvalidArgument, "2 conversations begin", "more of the id"},
		{parley.LaunchAgentRequest{Session: inGone}, parley.InvalidArgument, "directory is gone", "/nowhere"},
		{parley.LaunchAgentRequest{Session: ofGemini}, parley.InvalidArgument, "deletes", "sessionRetention"},
		{
			parley.LaunchAgentRequest{Session: inParser, Dir: "/tmp"},
			parley.InvalidArgument, "belongs to", "Leave the directory",
		},
		{
			parley.LaunchAgentRequest{Session: inParser, Command: []string{"codex"}},
			parley.InvalidArgument, "of Claude Code", "claude",
		},
		{
			parley.LaunchAgentRequest{Session: inParser, Profile: "gemini"},
			parley.InvalidArgument, "of Claude Code", "claude",
		},
		{
			parley.LaunchAgentRequest{Session: inParser, Command: []string{"claude", "--continue"}},
			parley.InvalidArgument, "the command itself", "Leave that out",
		},
		{
			parley.LaunchAgentRequest{Session: inParser, AgentSpec: parley.AgentSpec{Sandbox: &sandbox}},
			parley.InvalidArgument, "home of its own", "--sandbox=false",
		},
	} {
		test.req.Name = "ann"
		_, err := op.LaunchAgent.Call(te.operator(), te, test.req)
		e := parley.AsError(err)
		if e.Code != test.code || !strings.Contains(e.Message, test.says) || !strings.Contains(e.Action, test.next) {
			t.Errorf("%+v: %v (%s)", test.req, err, e.Action)
		}
	}
}

// An agent that may launch others reads no conversation of theirs, nor of the user's.
func TestConversationsAreTheOperators(t *testing.T) {
	te, _ := newTeamWithSessions(t)
	chief := parley.WithCaller(t.Context(), parley.Caller{ID: "1", Name: "chief", Orchestrate: true})
	_, err := op.LaunchAgent.Call(chief, te, parley.LaunchAgentRequest{Name: "bob", Session: inParser})
	if parley.ErrorCode(err) != parley.NotAuthorized {
		t.Errorf("got %v", err)
	}
}
