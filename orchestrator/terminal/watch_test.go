package terminal

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/courier"
	"parley/orchestrator/sight"
	"parley/orchestrator/team"
	"parley/program/door"
	"parley/store/storetest"
	"parley/tmux"
)

func TestLossThatCouldNotBeRecordedIsRecordedLater(t *testing.T) {
	db, log := storetest.Open(t), slog.New(slog.DiscardHandler)
	a := parley.Agent{ID: team.NewID(), Name: "coder", Kind: parley.KindTerminal, State: parley.StateIdle}
	must.Do(t, db.Agents.CreateAgent(t.Context(), a, nil))
	roster := must.Have(team.Load(t.Context(), db, time.Now, log))(t)
	m := roster.ByName("coder")
	ts := &Terminals{roster: roster, couriers: courier.New(courier.Options{Store: db.Deliveries, Roster: roster,
		Now: time.Now,
		Log: log})}

	broken, cancel := context.WithCancel(t.Context())
	cancel() // stands for a locked or full database
	w := &watcher{ts: ts}
	if err := w.lose(broken, m, "its terminal is gone"); err == nil || m.Agent().State != parley.StateIdle {
		t.Fatalf("the loss was recorded: %s, %v", m.Agent().State, err)
	}

	must.Do(t, w.observe(t.Context(), m, nil, tmux.PaneInfo{}, false))
	if got := m.Agent().State; got != parley.StateUnreachable {
		t.Errorf("it is %s, want unreachable", got)
	}
}

// That it rests is not believed: nobody knows what its screen shows.
func TestAProgramSaysWhatItsScreenDoesNot(t *testing.T) {
	const nothing = "its screen shows nothing that is known"
	unknown := sight.Standing{State: parley.StateUnknown, Evidence: nothing}
	for name, c := range map[string]struct {
		says     door.Doing
		state    parley.AgentState
		evidence string
	}{
		"it asks":  {door.Doing{Asks: true, Evidence: "asks"}, parley.StateWaiting, "asks"},
		"it works": {door.Doing{Works: true, Evidence: "works"}, parley.StateBusy, "works"},
		"it rests": {door.Doing{}, parley.StateUnknown, nothing},
	} {
		w := &watcher{ts: &Terminals{opts: Options{
			Does: func(context.Context, *team.Member, *team.Terminal) door.Doing { return c.says },
		}}}
		state, evidence := w.saidElsewhere(t.Context(), nil, nil, unknown)
		if state != c.state || evidence != c.evidence {
			t.Errorf("%s: it is %s (%s), want %s (%s)", name, state, evidence, c.state, c.evidence)
		}
	}
}
