package profile_test

import (
	"slices"
	"testing"

	"parley"
	"parley/internal/must"
)

const aSession = "5f0c21aa-0000-4000-8000-000000000001"

func TestProgramsBeginAndContinueTheirSessions(t *testing.T) {
	set := builtin(t)
	for _, tt := range []struct {
		profile        string
		choose, resume []string
	}{
		{"claude", []string{"--session-id", aSession}, []string{"--resume", aSession}},
		{"codex", nil, []string{"resume", aSession}},
		{"copilot", []string{"--session-id", aSession}, []string{"--resume=" + aSession}},
		{"gemini", []string{"--session-id", aSession}, []string{"--resume", aSession}},
		{"qwen", []string{"--session-id", aSession}, []string{"--resume", aSession}},
		{"opencode", nil, []string{"--session", aSession}},
		{"generic", nil, nil},
	} {
		p := find(t, set, tt.profile)
		choose, resume, err := p.Session.Render(aSession)
		must.Do(t, err)
		if !slices.Equal(choose, tt.choose) || !slices.Equal(resume, tt.resume) {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.profile, choose, resume, tt.choose, tt.resume)
		}
		if p.Session.Resumes() != (tt.resume != nil) || p.Session.Chooses([]string{tt.profile}) != (tt.choose != nil) {
			t.Errorf("%s: Resumes is %v and Chooses %v", tt.profile, p.Session.Resumes(), p.Session.Chooses(nil))
		}
	}
}

func TestACommandWithItsOwnSessionIsLeftAlone(t *testing.T) {
	set := builtin(t)
	for _, tt := range []struct {
		profile string
		command []string
		want    bool
	}{
		{"claude", []string{"claude", "--resume", "x"}, true},
		{"claude", []string{"claude", "--resume=x"}, true},
		{"claude", []string{"claude", "-c"}, true},
		{"claude", []string{"claude", "--resumed"}, false},
		{"codex", []string{"codex", "resume", "--last"}, true},
		{"codex", []string{"codex", "-c", "model=x"}, false},
	} {
		if got := find(t, set, tt.profile).Session.HasOwnSession(tt.command); got != tt.want {
			t.Errorf("%q: got %v, want %v", tt.command, got, tt.want)
		}
	}
}

func TestOpenFilesTellTheSession(t *testing.T) {
	codex := find(t, builtin(t), "codex")
	rollout := func(id string) string {
		return "/h/.codex/sessions/2026/11/22/rollout-2026-11-22T05-26-14-" + id + ".jsonl"
	}
	other := "5f0c21aa-0000-4000-8000-000000000002"
	for _, tt := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"one", []string{"/h/.codex/log", rollout(aSession)}, aSession},
		{"the same twice", []string{rollout(aSession), rollout(aSession)}, aSession},
		{"two", []string{rollout(aSession), rollout(other)}, ""},
		{"none", []string{"/h/.codex/history.jsonl"}, ""},
		{"a deleted one", []string{rollout(aSession) + " (deleted)"}, ""},
	} {
		got, ok := codex.SessionIn(tt.paths)
		if ok != (tt.want != "") || ok && got != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestAWrongSessionIsRefused(t *testing.T) {
	for _, text := range []string{
		`session: {resume: ["{{.Nope}}"]}`, `session: {file: "("}`, `session: {file: "rollout"}`,
		`session: {choose: ["\0"]}`, `session: {chose: [x]}`,
	} {
		if _, err := builtin(t).With("robot", []byte(text)); parley.AsError(err).Code != parley.InvalidArgument {
			t.Errorf("%s: got %v, want it refused", text, err)
		}
	}
}
