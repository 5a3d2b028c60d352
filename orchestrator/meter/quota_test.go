package meter

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/program/profile"
)

// told is a line in which Codex says what is used of its account.
func told(at time.Time, used float64, resets time.Time) string {
	return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{`+
		`"limit_id":"codex","primary":{"used_percent":%.1f,"window_minutes":300,"resets_at":%d},`+
		`"secondary":null}}}`+"\n", at.Format(time.RFC3339), used, resets.Unix())
}

func newCodexStage(t *testing.T) *stage {
	t.Helper()
	s := newStage(t, nil)
	profiles := must.Have(profile.Builtin())(t)
	s.coder.SetTerminal(&team.Terminal{Profile: must.Have(profiles.Find("codex"))(t), Started: began})
	dir := filepath.Join(t.TempDir(), "sessions/2026/11/22")
	must.Do(t, os.MkdirAll(dir, 0o700))
	s.path = filepath.Join(dir, "rollout-1.jsonl")
	s.coder.Reports.NoteTranscript(s.path, s.now)
	return s
}

func TestQuotasAreThoseThatTheProviderSaidLast(t *testing.T) {
	s := newCodexStage(t)
	end := s.now.Add(time.Hour)
	s.writes(t, told(s.now, 85, end)+told(s.now.Add(time.Second), 86, end))

	words := func() string { return s.Quota(s.coder).Words(0) }
	want := "86% of 5h until " + end.Local().Format("2 Jan 15:04")
	if got := words(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.Quota(s.coder).Words(90); got != "" {
		t.Errorf("of those at 90%% it says %q", got)
	}

	// Another agent of the same account is told more, one that was told before it less.
	other := team.NewMember(parley.Agent{ID: team.NewID(), Name: "tester", Kind: parley.KindTerminal})
	must.Do(t, s.store.Agents.CreateAgent(t.Context(), other.Agent(), nil))
	other.SetTerminal(s.coder.Terminal())
	s.opts.Roster.Add(other)
	first := s.path
	s.path = filepath.Join(filepath.Dir(s.path), "rollout-2.jsonl")
	other.Reports.NoteTranscript(s.path, s.now)
	s.writes(t, told(s.now.Add(time.Minute), 90, end))
	s.path = first
	s.writes(t, told(s.now.Add(time.Second), 12, end))
	if got := words(); got[:3] != "90%" || s.Quota(other).Account != s.Quota(s.coder).Account {
		t.Errorf("got %q, and %+v", got, s.Quota(other))
	}

	// A later daemon finds it at the end of what is read; another program has another account; its end ends it.
	later := New(s.opts)
	must.Do(t, later.load(t.Context()))
	must.Do(t, later.look(t.Context()))
	if got := later.Quota(other).Words(0); got[:3] != "90%" {
		t.Errorf("a later daemon says %q", got)
	}
	claude := must.Have(must.Have(profile.Builtin())(t).Find("claude"))(t)
	other.SetTerminal(&team.Terminal{Profile: claude})
	if q := s.Quota(other); q != nil {
		t.Errorf("under another program it is %+v", q)
	}
	s.now = end
	if q := s.Quota(s.coder); q != nil {
		t.Errorf("after its end it is %+v", q)
	}
}

func TestAWarningOnTheScreenTellsOfAQuota(t *testing.T) {
	s := newStage(t, nil)
	s.coder.Reports.NoteTranscript(s.path, s.now)
	warning := profile.Reading{Quota: profile.Warning{Used: 91, Name: "5-hour limit", Ends: "resets in 2 hours"}}
	s.coder.Terminal().Limit.See(&warning, s.now)
	s.coder.Terminal().Limit.See(&profile.Reading{}, s.now.Add(time.Minute)) // it goes away
	must.Do(t, s.look(t.Context()))
	want := "91% of 5-hour limit until " + s.now.Add(2*time.Hour).Local().Format("2 Jan 15:04")
	if got := s.Quota(s.coder).Words(0); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
