package courier

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/orchestrator/attempt"
	"parley/orchestrator/sight"
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
		standing := sight.Standing{State: parley.StateBlocked, Limit: terminal.Limit.See(&shown, noon), Composer: true}

		h := standing.Hold(0)
		if h.Code() != parley.HoldLimit || !h.Only {
			t.Fatalf("%s: the hold is %+v, want a usage limit and nothing else in the way", name, h)
		}
		looks := &view{post: &post{
			o: New(Options{Now: func() time.Time { return c.now }}),
			m: team.NewMember(parley.Agent{ID: "a", AgentSpec: parley.AgentSpec{ResumeAfterLimit: c.resumes}}),
		}}
		w, h := looks.passes(terminal, &store.Job{}, h)
		if h.None() != c.want || (w.By == attempt.PassLimit) != c.want {
			t.Errorf("%s: it passes by %+v, held %+v, want %v", name, w, h, c.want)
		}
	}
}

// What would go into the work of a program waits where that draws late, and its reason says so.
func TestIntoTheWorkOfASlowProgramNothingGoes(t *testing.T) {
	queue, none := &profile.Profile{Key: "Enter", QueueKey: "Tab"}, &profile.Profile{}
	high, urgent := parley.PriorityHigh, parley.PriorityUrgent
	for name, c := range map[string]struct {
		profile *profile.Profile
		into    bool // interruptible
		late    bool
		urgent  parley.Priority
		want    attempt.Passage
		reason  string
	}{
		"into its queue":              {queue, false, false, high, attempt.PassQueue, ""},
		"into its queue, late":        {queue, false, true, high, 0, attempt.DrawsLate},
		"into its work":               {queue, true, false, urgent, attempt.PassWork, ""},
		"into its work, late":         {queue, true, true, urgent, 0, attempt.DrawsLate},
		"what is not urgent":          {queue, false, true, parley.PriorityNormal, 0, "it is busy"},
		"where there is no queue key": {none, false, true, high, 0, "it is busy"},
	} {
		agent := parley.Agent{ID: "a", AgentSpec: parley.AgentSpec{Interruptible: c.into}}
		v := &view{memory: attempt.Memory{Behind: c.late}, post: &post{
			o: New(Options{Now: time.Now}), m: team.NewMember(agent),
		}}
		busy := sight.Held(parley.HoldBusy, "")
		busy.Only = true
		w, h := v.passes(&team.Terminal{Profile: c.profile},
			&store.Job{Message: parley.Message{Priority: c.urgent}}, busy)
		if w.By != c.want || !strings.HasSuffix(h.Words(), c.reason) || h.None() != (c.reason == "") {
			t.Errorf("%s: it passes by %v, held by %q, want %v, %q", name, w.By, h.Words(), c.want, c.reason)
		}
	}
}
