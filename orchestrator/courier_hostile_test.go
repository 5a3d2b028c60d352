package orchestrator

import (
	"fmt"
	"slices"
	"strings"
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

func TestTextBehindADialogIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1},
		framedWith(t, "taken_within: 500ms\nmarkers: {dialog: '^something else'}"))

	// a dialog opens at that moment and swallows the Enter
	s.couriers.Entered = func() { s.show(tmuxtest.HideComposer) }
	id := s.send("coder", "hello")
	tmuxtest.Poll(t, func() bool { return strings.Contains(s.delivery(id).Reason, "dialog") }, func() string {
		return fmt.Sprintf("%+v", s.delivery(id))
	})

	if d := s.delivery(id); d.State != parley.DeliveryTyping {
		t.Errorf("it is %s while a dialog hides the composer", d.State)
	}

	s.show("") // the text stands there alone, and gets the Enter that it lacks
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(1)
}

func TestPersonsPasteIsNotMistakenForOurs(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{}, framedWith(t, "settle: 1s"))
	id := s.send("coder", "hello")
	tmuxtest.WaitFor(t, s.pane("coder"), shows(tmuxtest.Placeholder))
	s.show(tmuxtest.DialogText)
	tmuxtest.Poll(t, func() bool { return strings.Contains(s.delivery(id).Reason, "Enter waits") }, func() string {
		return fmt.Sprintf("%+v", s.delivery(id))
	})

	pane := s.pane("coder").ID()
	s.tmuxRun("send-keys", "-t", pane, "Enter") // the person submits our text and pastes another
	s.tmuxRun("set-buffer", "-b", "theirs", "one\ntwo\nthree\nfour\nfive")
	s.tmuxRun("paste-buffer", "-p", "-r", "-b", "theirs", "-t", pane)
	s.show("")
	s.reach(id, parley.DeliveryUnconfirmed)
	s.wantMessages(1)
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
