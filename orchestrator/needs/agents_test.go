package needs

import (
	"testing"
	"time"

	"parley"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
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
		mixed := parley.Hold{Code: parley.HoldMixedText, Reason: parley.HoldMixedText.Words("")}
		m.NoteUnsent(mixed, now.Add(-tt.since))
		m.NoteUnsent(mixed, now) // it is noted at each look
		n, ok := an.quietNeed(parley.Need{}, m, 1)
		if ok != tt.want || ok && (n.Kind != parley.NeedDraft || n.Text != mixed.Reason || n.Action == "") {
			t.Errorf("%+v: got %v, %+v", tt, ok, n)
		}
		m.NoteUnsent(parley.Hold{}, now)
		if n, ok := an.quietNeed(parley.Need{}, m, 1); ok {
			t.Errorf("%+v: nothing stands there, and it needs %+v", tt, n)
		}
	}
}
