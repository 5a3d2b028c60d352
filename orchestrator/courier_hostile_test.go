package orchestrator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/tmux/tmuxtest"
)

func TestSynchronizedPaneIsNotRetriedEndlessly(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("set-option", "-w", "-t", te.pane("coder").ID(), "synchronize-panes", "on")
	id := te.send("coder", "for you alone")
	te.held(id, "synchronize-panes")
	before := len(te.delivery(id).Steps)
	time.Sleep(3 * restful / 2)
	if after := len(te.delivery(id).Steps); after != before {
		t.Errorf("the ladder grew from %d to %d steps while nothing changed", before, after)
	}

	te.tmuxRun("set-option", "-w", "-t", te.pane("coder").ID(), "synchronize-panes", "off")
	te.arrived(id)
	if got := tmuxtest.WaitMessages(t, log, 1); len(got) != 1 {
		t.Errorf("the agent got %v, want one message", got)
	}
}

func TestTextBehindADialogIsNotTaken(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1},
		framedWith(t, "taken_within: 500ms\nmarkers: {dialog: '^something else'}"))

	s.couriers.Entered = func() { s.show(tmuxtest.HideComposer) } // a dialog opens at that moment and swallows the Enter
	id := s.send("coder", "hello")
	tmuxtest.Poll(t, func() bool { return strings.Contains(s.delivery(id).Reason, "dialog") }, func() string {
		return fmt.Sprintf("%+v", s.delivery(id))
	})

	if d := s.delivery(id); d.State != parley.DeliveryTyping {
		t.Errorf("it is %s while a dialog hides the composer", d.State)
	}

	s.show("") // the text stands there alone, and gets the Enter that it lacks
	s.reach(id, parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 {
		t.Errorf("the agent got %+v, want the message once", got)
	}
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
	if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 {
		t.Errorf("got %+v, want ours alone", got)
	}
}

func TestAgentIsLetGoWhileSomeoneScrollsOverAPastedText(t *testing.T) {
	t.Parallel()
	te := newTeam(t, framedWith(t, "settle: 1s"))
	u := newUser(t, te)
	pane := u.pane()
	u.agent(pane)
	u.adopt("coder", pane)
	te.inState("coder", parley.StateIdle)
	id := te.send("coder", "half way")
	tmuxtest.WaitFor(t, te.pane("coder"), shows(tmuxtest.Placeholder))
	u.run("copy-mode", "-t", pane)
	time.Sleep(1200 * time.Millisecond)
	began := time.Now()
	must.Have(te.StopAgent(te.operator(), parley.StopAgentRequest{Agent: "coder"}))(t)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}

	te.reach(id, parley.DeliveryUnconfirmed)
}
