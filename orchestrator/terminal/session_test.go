package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/program/profile"
	"parley/program/transcript"
	"parley/tmux"
)

func TestALaunchBeginsOrContinuesASession(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	begun := parley.Session{ID: "earlier", State: parley.SessionBegun}
	refused := parley.Session{ID: "earlier", State: parley.SessionRefused}
	chosen := parley.Session{ID: "earlier", State: parley.SessionChosen}
	for _, tt := range []struct {
		name    string
		command []string
		old     parley.Session
		args    []string
		session parley.Session
		said    string
	}{
		{"the first", []string{"claude"}, parley.Session{}, []string{"--session-id", "fresh1"},
			parley.Session{ID: "fresh1", State: parley.SessionChosen}, parley.ConversationNew},
		{"one with turns", []string{"claude"}, begun, []string{"--resume", "earlier"},
			begun, parley.ConversationResumed},
		{"one that was refused is tried again", []string{"claude"}, refused, []string{"--resume", "earlier"}, begun,
			parley.ConversationResumed},
		{"one without turns has nothing to continue", []string{"claude"}, chosen, []string{"--session-id", "fresh1"},
			parley.Session{ID: "fresh1", State: parley.SessionChosen}, parley.ConversationNew},
		{"the command's own", []string{"claude", "--continue"}, begun, nil, parley.Session{}, parley.ConversationNew},
		{"one that the program chooses", []string{"codex"}, parley.Session{}, nil, parley.Session{},
			parley.ConversationNew},
		{"codex", []string{"codex"}, begun, []string{"resume", "earlier"}, begun, parley.ConversationResumed},
		{"a program without sessions", []string{"aider"}, begun, nil, parley.Session{}, ""},
	} {
		p := must.Have(set.Find(tt.command[0]))(t)
		got := must.Have(begin(p, tt.command, tt.old, "fresh1"))(t)
		if !slices.Equal(got.args, tt.args) || got.session != tt.session || got.conversation(p) != tt.said {
			t.Errorf("%s: got %q, %+v, %q", tt.name, got.args, got.session, got.conversation(p))
		}
	}
}

func TestDifferencesNameWhatTheyTake(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	claude := must.Have(set.Find("claude"))(t)
	have := standing{
		Agent: parley.Agent{
			Profile: "claude", Command: []string{"claude", "--verbose", "--model", "opus"},
			Dir: "/w", AgentSpec: parley.AgentSpec{Role: "coder", Groups: []string{"backend"}},
			PromptHash: parley.HashPrompt("begin"), OwnEnv: []string{"PORT", "OLD"},
		},
		env: []string{"PORT=4000", "OLD=1", "HOME=/h"}, width: 200, height: 50,
	}
	same := parley.LaunchAgentRequest{
		AgentSpec: parley.AgentSpec{Role: "coder", Groups: []string{"backend"}}, Prompt: "begin", Width: 200,
		Height: 50,
		Env:    map[string]string{"PORT": "4000", "OLD": "1", "HOME": "/other"}, OwnEnv: []string{"OLD", "PORT"},
	}
	want := wanted{same, claude, "claude", have.Command, "/w"}
	if got := differences(have, want); len(got) != 0 {
		t.Fatalf("nothing differs, got %+v", got)
	}

	want.argv, want.dir = []string{"claude", "--model", "sonnet"}, "/x"
	want.Role, want.Groups, want.Prompt, want.NoResume = "", []string{"frontend"}, "do this", true
	want.Env, want.OwnEnv = map[string]string{"PORT": "secret"}, []string{"PORT"}
	got := differences(have, want)
	list := []parley.Change{
		{What: "command", Now: "claude --verbose", Then: "claude", Means: parley.ByRestart},
		{What: "model", Now: "opus", Then: "sonnet", Means: parley.ByRestart},
		{What: "dir", Now: "/w", Then: "/x", Means: parley.ByRestart},
		{What: "env PORT", Then: "another value", Means: parley.ByRestart},
		{What: "env OLD", Then: "not set", Means: parley.ByRestart},
		{What: "prompt", Then: "do this", Means: parley.ByMessage},
		{What: "role", Now: "coder", Means: parley.InPlace},
		{What: "groups", Now: "backend", Then: "frontend", Means: parley.InPlace},
		{What: "resume", Now: "yes", Then: "no", Means: parley.InPlace},
	}
	if !slices.Equal(got, list) {
		t.Errorf("got\n%+v, want\n%+v", got, list)
	}
}

// Whether an agent is in a sandbox, or is kept out of those of all, is told from what it is to be.
func TestDifferencesTellOfSandboxes(t *testing.T) {
	set := must.Have(profile.Builtin())(t)
	claude := must.Have(set.Find("claude"))(t)
	yes, no := true, false
	for _, c := range []struct {
		have, want *bool
		change     parley.Change
	}{
		{nil, nil, parley.Change{}},
		{nil, &no, parley.Change{What: "sandbox", Then: "kept out", Means: parley.InPlace}},
		{&no, nil, parley.Change{What: "sandbox", Now: "kept out", Means: parley.InPlace}},
		{&no, &no, parley.Change{}},
		{&yes, &yes, parley.Change{}},
		{&yes, &no, parley.Change{What: "sandbox", Now: "yes", Then: "no", Means: parley.ByRestart}},
		{&yes, nil, parley.Change{What: "sandbox", Now: "yes", Then: "no", Means: parley.ByRestart}},
		{nil, &yes, parley.Change{What: "sandbox", Now: "no", Then: "yes", Means: parley.ByRestart}},
		{&no, &yes, parley.Change{What: "sandbox", Now: "no", Then: "yes", Means: parley.ByRestart}},
	} {
		have := standing{Agent: parley.Agent{Profile: "claude", AgentSpec: parley.AgentSpec{Sandbox: c.have}}}
		req := parley.LaunchAgentRequest{AgentSpec: parley.AgentSpec{Sandbox: c.want}}
		got := differences(have, wanted{LaunchAgentRequest: req, profile: claude, stored: "claude"})
		if want := []parley.Change{c.change}; !slices.Equal(got, want) && (len(got) > 0 || c.change.What != "") {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// The session is the one that was given the agent's newest message, unless a copy has it as well.
func TestTheSessionThatWasGivenAMessage(t *testing.T) {
	typed := func(id string) string {
		return "[AGENT 11111111 TO AGENT 22222222]: do this\n(operator · msg " + id + ")"
	}
	isTheirs := func(id string) bool { return id == "aaaaaaaa" || id == "bbbbbbbb" }
	for name, test := range map[string]struct {
		prompts []transcript.Prompt
		want    string
	}{
		"none":      {nil, ""},
		"by hand":   {[]transcript.Prompt{{Session: "ses_by_hand", Text: "msg aaaaaaaa"}}, ""},
		"another's": {[]transcript.Prompt{{Session: "ses_other", Text: typed("cccccccc")}}, ""},
		"one":       {[]transcript.Prompt{{Session: "ses_first", Text: typed("aaaaaaaa")}}, "ses_first"},
		"several": {[]transcript.Prompt{{Session: "ses_first", Text: "x"},
			{Session: "ses_first", Text: typed("bbbbbbbb")}, {Session: "ses_first", Text: typed("aaaaaaaa")}},
			"ses_first"},
		"a new one": {[]transcript.Prompt{{Session: "ses_second", Text: typed("bbbbbbbb")},
			{Session: "ses_first", Text: typed("aaaaaaaa")}}, "ses_second"},
		"a fork": {[]transcript.Prompt{{Session: "ses_fork", Text: typed("aaaaaaaa")},
			{Session: "ses_first", Text: typed("aaaaaaaa")}}, ""},
		"a used fork": {[]transcript.Prompt{{Session: "ses_fork", Text: typed("bbbbbbbb")},
			{Session: "ses_fork", Text: typed("aaaaaaaa")}, {Session: "ses_first", Text: typed("aaaaaaaa")}},
			"ses_fork"},
		"a flag": {[]transcript.Prompt{{Session: "--help", Text: typed("aaaaaaaa")}}, ""},
	} {
		if got := sessionWith(test.prompts, isTheirs); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// Only the end of a long transcript is read.
func TestPromptsAtTheEndOfATranscript(t *testing.T) {
	codex := must.Have(profile.Builtin())(t).Transcript("codex")
	prompt := func(text string) string {
		return `{"timestamp":"2026-11-22T22:42:59Z","type":"event_msg","payload":{"type":"item_completed",` +
			`"item":{"type":"UserMessage","content":[{"type":"text","text":"` + text + `"}]}}}` + "\n"
	}
	path := filepath.Join(t.TempDir(), "rollout.jsonl")
	must.Do(t, os.WriteFile(path, []byte(prompt("early")+strings.Repeat("x", maxTail)+"\n"+prompt("late")), 0o600))
	if got := lastPrompts(path, codex, "anid"); len(got) != 1 || got[0].Text != "late" || got[0].Session != "anid" {
		t.Errorf("got %+v", got)
	}
	if got := lastPrompts(path+"x", codex, "anid"); got != nil {
		t.Errorf("of no file: %+v", got)
	}
}

// A program that ignores that its terminal goes is killed, with all that it has started.
func TestATreeIsEndedWithWhatIgnoresIt(t *testing.T) {
	program := exec.Command("sh", "-c", `trap "" HUP TERM; sleep 300 & echo $!; sleep 300`)
	out := must.Have(program.StdoutPipe())(t)
	must.Do(t, program.Start())
	t.Cleanup(func() { _ = program.Wait() })
	var below int
	must.Have(fmt.Fscan(out, &below))(t)

	end := EndTree(program.Process.Pid)
	must.Do(t, end(t.Context(), 50*time.Millisecond))
	for _, pid := range []int{program.Process.Pid, below} {
		if tmux.Alive(pid) {
			t.Errorf("process %d runs on", pid)
		}
	}
}
