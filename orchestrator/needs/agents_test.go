package needs

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/program/profile"
)

func TestWhatStandsUnsentNeedsTheOperator(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	an := &AgentNeeds{Settings: &settings.Settings{}, Now: func() time.Time { return now }}
	for _, tt := range []struct {
		state parley.AgentState
		since time.Duration
		want  bool
	}{
		{parley.StateDrafting, 16 * time.Second, true},
		{parley.StateIdle, 16 * time.Second, true},
		{parley.StateIdle, 14 * time.Second, false},
		{parley.StateBusy, time.Minute, false}, // it goes on after that
	} {
		m := team.NewMember(parley.Agent{Name: "ann", State: tt.state})
		mixed := parley.HoldMixedText.With("")
		m.NoteUnsent(mixed, now.Add(-tt.since))
		m.NoteUnsent(mixed, now) // it is noted at each look
		n, ok := an.quietNeed(parley.Need{}, m, 1)
		if ok != tt.want || ok && (n.Kind != parley.NeedDraft || n.Text != mixed.Words() || n.Action == "") {
			t.Errorf("%+v: got %v, %+v", tt, ok, n)
		}
		m.NoteUnsent(parley.Cause{}, now)
		if n, ok := an.quietNeed(parley.Need{}, m, 1); ok {
			t.Errorf("%+v: nothing stands there, and it needs %+v", tt, n)
		}
	}
}

// What blocks an agent says how it goes on: a turn that failed by a retry, which nothing else begins.
func TestABlockedAgentNeedsWhatEndsThat(t *testing.T) {
	t.Parallel()
	const text = `{sign_in: 'type /login', markers: {idle: '^>', composer: '^>(?P<text>.*)', blocked: {
  a missing sign-in: '^signed out\n', "an error of its model's server": '^error 500\n', compaction: '^compacting\n'}}}`
	p := must.Have(must.Have(must.Have(profile.Builtin())(t).With("test", []byte(text)))(t).Find("test"))(t)
	for shown, want := range map[string]string{
		"signed out": "type /login", "error 500": "parley retry ID", "compacting": "wait", "hello": "wait",
	} {
		if got := blockedAction(p, []string{shown, ">"}, "wait"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", shown, got, want)
		}
	}
}
