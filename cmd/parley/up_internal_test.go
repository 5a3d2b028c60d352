package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
)

func TestUpLaunchesWhatTheFileNamesAndBringsBackWhatWasLost(t *testing.T) {
	agent := func(name string, state parley.AgentState) parley.AgentStatus {
		return parley.AgentStatus{Agent: parley.Agent{Name: name, Kind: parley.KindTerminal, State: state}}
	}
	adopted := agent("adopted", parley.StateUnreachable)
	adopted.Socket = "/tmp/s"
	file := []daemon.Agent{{Name: "coder"}, {Name: "new"}, {Name: "stopped"}}
	there := []parley.AgentStatus{
		agent("Coder", parley.StateIdle), agent("lost", parley.StateUnreachable), adopted,
		agent("gone", parley.StateTerminated), agent("stopped", parley.StateTerminated),
	}

	for _, tt := range []struct {
		names, want []string
	}{
		{nil, []string{"coder runs", "new", "stopped", "lost"}},
		{[]string{"LOST", "new"}, []string{"new", "lost"}},
	} {
		steps, err := planUp(file, there, tt.names)
		var got []string
		for _, s := range steps {
			if s.running {
				s.name += " runs"
			}
			got = append(got, s.name)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, %v, want %q", tt.names, got, err, tt.want)
		}
	}

	if _, err := planUp(file, there, []string{"gone"}); parley.AsError(err).Code != parley.AgentNotFound {
		t.Errorf("a stopped agent that the file does not name: got %v", err)
	}
}

func TestHooksTellTheSession(t *testing.T) {
	for _, tt := range []struct{ event, input, want string }{
		{"UserPromptSubmit", `{"session_id":"5f0c21aa-1"}`, "5f0c21aa-1"},
		{"userPromptSubmitted", `{"sessionId":"5f0c21aa-1"}`, "5f0c21aa-1"},
		{"SessionEnd", `{"session_id":"5f0c21aa-1","reason":"clear"}`, ""},
		{"sessionEnd", `{"sessionId":"5f0c21aa-1"}`, ""},
		{"PermissionRequest", `{"session_id":"5f0c21aa-1","agent_id":"a1"}`, ""},
		{"Stop", `{"session_id":"--settings=x"}`, ""},
		{"Stop", `{}`, ""},
	} {
		got, ok := readReport([]string{tt.event}, func() []byte { return []byte(tt.input) })
		if !ok || got.Session != tt.want {
			t.Errorf("%s with %s: got %q, want %q", tt.event, tt.input, got.Session, tt.want)
		}
	}
}

func TestUpSaysWhichAgentAnErrorIsAbout(t *testing.T) {
	for message, want := range map[string]string{
		`there is no host "bob"`: `coder: there is no host "bob"`,
		"coder is busy":          "coder is busy",
	} {
		if got := named("coder", parley.Errorf(parley.InvalidArgument, "%s", message)); !strings.HasPrefix(got.Error(),
			want) {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// It is no failure, and a program that reads the answers expects none.
func TestWarningOfAnotherDirectoryIsNoAnswer(t *testing.T) {
	d := testDoctor(t)
	dir := t.TempDir()
	d.cli.out.json = true
	d.cli.out.out = must.Have(os.Create(filepath.Join(dir, "out")))(t)
	d.cli.out.err = must.Have(os.Create(filepath.Join(dir, "err")))(t)
	(&upRun{cli: d.cli}).warnOfDir("coder", "/shop/old", "/shop/new")

	out, err := must.Have(os.ReadFile(d.cli.out.out.Name()))(t), must.Have(os.ReadFile(d.cli.out.err.Name()))(t)
	want := "parley: coder runs in /shop/old, where its conversation is; the file says /shop/new\n" +
		"  → To begin a new conversation there: parley up --apply --fresh coder\n"
	if len(out) > 0 || string(err) != want {
		t.Errorf("got the answer %q and the warning %q, want only %q", out, err, want)
	}
}
