package attempt

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/program/profile"
)

func TestFailureOnTheScreenYieldsToTheProgramsReport(t *testing.T) {
	const (
		fails   = `{markers: {blocked: {a usage limit: '^limit reached\ncomposer>', a missing sign-in: '^sign in first\ncomposer>'}}}`
		reports = `{reports: {Prompt: prompted, Stop: idle, StopFailure: 'blocked: an error', Notification: idle, Compact: compacting}}`
		silent  = `{reports: {Prompt: prompted, Stop: idle}}`
	)
	for name, c := range map[string]struct {
		profile string
		said    []string // its reports, the newest last
		ago     time.Duration
		want    parley.AgentState
	}{
		"it has said nothing":    {reports, nil, time.Minute, parley.StateBlocked},
		"its last turn was over": {reports, []string{"Prompt", "Stop"}, time.Minute, parley.StateIdle},
		"it has just said so":    {reports, []string{"Prompt", "Stop"}, time.Second, parley.StateBlocked},
		"its turn was to begin":  {reports, []string{"Stop", "Prompt"}, time.Minute, parley.StateBlocked},
		"its turn failed": {
			reports, []string{"Prompt", "StopFailure"}, time.Minute, parley.StateBlocked,
		},
		"its turn failed, and it rests since": {
			reports, []string{"Prompt", "StopFailure", "Notification"}, time.Minute, parley.StateBlocked,
		},
		"a later turn was over": {
			reports, []string{"StopFailure", "Prompt", "Stop"}, time.Minute, parley.StateIdle,
		},
		"it reports failures as ends": {silent, []string{"Prompt", "Stop"}, time.Minute, parley.StateBlocked},
	} {
		for _, words := range []string{"limit reached", "sign in first"} {
			s := newStage(t, framedText, fails, c.profile)
			m := team.NewMember(parley.Agent{ID: "a"})
			for _, event := range c.said {
				signal, _ := s.profile.Reports.Signal(event)
				said := team.Report{Event: event, State: signal.State, Passing: signal.Passing, At: s.now.Add(-c.ago)}
				m.Reports.Note(said, signal.Prompted, nil)
			}

			s.above = []string{words}
			o := s.observation()
			if o.Shows != profile.Blocked {
				t.Fatalf("the screen looks %s", o.Shows)
			}
			o.Since = s.now.Add(-time.Minute)
			said, _ := m.LastReport()
			o.Heed(said)
			if got := o.Standing(); got.State != c.want || got.Limit.On && c.want == parley.StateIdle {
				t.Errorf("%s, %q: it counts as %s (%s), want %s", name, words, got.State, got.Evidence, c.want)
			}
		}
	}
}

// A report that a turn is over says nothing of whether it failed where a program reports no failures: its screen shows
// that a moment later, so it has to rest. Of a program that reports them, or has none, the report is enough.
func TestAReportOfTheEndIsNotAheadOfAFailure(t *testing.T) {
	const (
		fails   = `{quiet: 500ms, markers: {blocked: {an error: '^failed\ncomposer>'}}}`
		silent  = `{reports: {Prompt: prompted, Stop: idle}}`
		reports = `{reports: {Prompt: prompted, Stop: idle, StopFailure: 'blocked: an error'}}`
	)
	for name, c := range map[string]struct {
		profiles []string
		rested   time.Duration
		holds    bool
	}{
		"it shows failures, and has just ended":   {[]string{fails, silent}, 100 * time.Millisecond, true},
		"it shows failures, and has rested":       {[]string{fails, silent}, 600 * time.Millisecond, false},
		"it reports failures, and has just ended": {[]string{fails, reports}, 100 * time.Millisecond, false},
		"it shows none, and has just ended":       {[]string{`{quiet: 500ms}`, silent}, 100 * time.Millisecond, false},
	} {
		s := newStage(t, append([]string{framedText}, c.profiles...)...)
		o := s.observation()
		o.Since = s.now.Add(-c.rested)
		o.Heed(team.Report{Event: "Stop", State: parley.StateIdle, At: s.now})
		at := o.Standing()
		if got := at.Hold(s.profile.Quiet); got.None() == c.holds || at.State != parley.StateIdle {
			t.Errorf("%s: it counts as %s and holds for %q, want %v", name, at.State, got.Code(), c.holds)
		}
	}
}
