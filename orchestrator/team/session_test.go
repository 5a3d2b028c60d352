package team_test

import (
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/store/storetest"
)

// A session has turns once a prompt was taken, whatever became of the program's own report.
func TestAPromptBeginsTheChosenSession(t *testing.T) {
	db := storetest.Open(t)
	roster := must.Have(team.Load(t.Context(), db, time.Now, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(roster.Close)
	a := parley.Agent{ID: team.NewID(), Name: "coder", Kind: parley.KindTerminal, State: parley.StateIdle}
	must.Do(t, db.Agents.CreateAgent(t.Context(), a, nil))
	m := team.NewMember(a)

	for before, want := range map[parley.SessionState]parley.SessionState{
		parley.SessionChosen: parley.SessionBegun, parley.SessionBegun: parley.SessionBegun,
		parley.SessionRefused: parley.SessionRefused,
	} {
		must.Do(t, roster.Records.SetSession(t.Context(), m, parley.Session{ID: "5f0c21aa-1", State: before}))
		must.Do(t, roster.NotePrompt(t.Context(), m))
		if got := m.Agent().Session; got != (parley.Session{ID: "5f0c21aa-1", State: want}) {
			t.Errorf("%s: got %+v, want %s", before, got, want)
		}
	}
	must.Do(t, roster.Records.SetSession(t.Context(), m, parley.Session{}))
	must.Do(t, roster.NotePrompt(t.Context(), m))
	if got := m.Agent().Session; got != (parley.Session{}) {
		t.Errorf("without a session: got %+v", got)
	}
}
