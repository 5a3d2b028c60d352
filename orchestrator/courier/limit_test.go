package courier

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
	"parley/store"
)

func TestMessageGoesAfterALimitOnlyIfItsOperatorSaysSo(t *testing.T) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.Local)
	for name, c := range map[string]struct {
		resumes bool
		words   string
		now     time.Time
		want    bool
	}{
		"over":             {true, "try again in 10 min", noon.Add(11 * time.Minute), true},
		"over, not wanted": {false, "try again in 10 min", noon.Add(11 * time.Minute), false},
		"not over":         {true, "try again in 10 min", noon.Add(9 * time.Minute), false},
		"end unknown":      {true, "try again later", noon.AddDate(1, 0, 0), false},
	} {
		terminal := &team.Terminal{Profile: &profile.Profile{Key: "Enter"}}
		shown := profile.Reading{Shows: profile.Blocked, Cause: profile.UsageLimit, LimitEnds: c.words}
		standing := Standing{State: parley.StateBlocked, limit: terminal.Limit.See(&shown, noon), composer: true}

		h := standing.hold(0)
		if h.Code != parley.HoldLimit || !h.only {
			t.Fatalf("%s: the hold is %+v, want a usage limit and nothing else in the way", name, h)
		}
		looks := &view{post: &post{
			o: New(Options{Now: func() time.Time { return c.now }}),
			m: team.NewMember(parley.Agent{ID: "a", AgentSpec: parley.AgentSpec{ResumeAfterLimit: c.resumes}}),
		}}
		if w, passes := looks.passes(terminal, &store.Job{}, h); passes != c.want || (w.by == passLimit) != c.want {
			t.Errorf("%s: it passes %v (%+v), want %v", name, passes, w, c.want)
		}
	}
}
