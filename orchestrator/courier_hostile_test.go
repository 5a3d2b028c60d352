package orchestrator

import (
	"slices"
	"testing"
	"time"

	"parley"
	"parley/tmux/tmuxtest"
)

func TestPaneThatTakesNoInputIsNotRetriedEndlessly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		hold       string
		begin, end []string // of a tmux command on the pane
	}{
		{"takes no input", []string{"select-pane", "-d"}, []string{"select-pane", "-e"}},
		{"synchronize-panes", []string{"set-option", "-w", "synchronize-panes", "on"},
			[]string{"set-option", "-w", "synchronize-panes", "off"}},
	} {
		t.Run(c.hold, func(t *testing.T) {
			t.Parallel()
			te := newTeam(t)
			log := te.launch("coder", "quick", tmuxtest.Agent{})
			te.inState("coder", parley.StateIdle)
			te.tmuxRun(slices.Insert(c.begin, 2, "-t", te.pane("coder").ID())...)
			id := te.send("coder", "wait for me")
			te.held(id, c.hold)
			before := len(te.delivery(id).Steps)
			time.Sleep(3 * restful / 2)
			if after := len(te.delivery(id).Steps); after != before {
				t.Errorf("the ladder grew from %d to %d steps while nothing changed", before, after)
			}

			te.tmuxRun(slices.Insert(c.end, 2, "-t", te.pane("coder").ID())...)
			te.arrived(id)
			te.wantMessages(log, 1)
		})
	}
}

func TestAgentIsLetGoWhileSomeoneScrollsOverAPastedText(t *testing.T) {
	t.Parallel()
	te, u, coder, _ := adopted(t, framedWith(t, "settle: 1s"))
	pane := coder.Pane
	id := te.send("coder", "half way")
	tmuxtest.WaitFor(t, te.pane("coder"), shows(tmuxtest.Placeholder))
	u.run("copy-mode", "-t", pane)
	time.Sleep(1200 * time.Millisecond)
	began := time.Now()
	te.stop("coder")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}

	te.reach(id, parley.DeliveryUnconfirmed)
}
