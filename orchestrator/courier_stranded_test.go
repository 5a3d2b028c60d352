package orchestrator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// strand sends a message to an agent that loses both Enters of it, so that its text stays in the
// composer.
func strand(t *testing.T, changes ...func(*Options)) (s *stage, id string) {
	t.Helper()
	s = newStage(t, tmuxtest.Agent{Deaf: 2}, append(changes, framedWith(t, "taken_within: 500ms"))...)
	id = s.send("coder", "hello")
	if d := s.reach(id, parley.DeliveryUnconfirmed); d.ReasonCode != parley.EndedStanding {
		t.Errorf("it ended %q (%s), want %q", d.ReasonCode, d.Reason, parley.EndedStanding)
	}
	return s, id
}

// ownTextNeed waits for the need of a text that stands in a terminal. The unconfirmed delivery is
// another need.
func (te *testTeam) ownTextNeed() (n parley.Need) {
	te.t.Helper()
	var all []parley.Need
	tmuxtest.Poll(te.t, func() bool {
		all = te.needs("")
		i := slices.IndexFunc(all, func(n parley.Need) bool { return n.Kind == parley.NeedDraft })
		if i >= 0 {
			n = all[i]
		}
		return i >= 0
	}, func() string { return fmt.Sprintf("the needs are %+v", all) })
	return n
}

func TestStrandedTextHoldsTheNextMessageAndNeedsTheOperator(t *testing.T) {
	t.Parallel()
	s, _ := strand(t)
	next := s.send("coder", "next")
	s.held(next, "parley's own text stands unsent")
	s.wantNeed(s.ownTextNeed(), "coder", "parley's own text stands unsent", "parley attach coder")
	s.press("Enter")
	s.reach(next, parley.DeliveryRead)
	s.wantMessages(2)
}

func TestRetryPressesTheEnterOfAStrandedText(t *testing.T) {
	t.Parallel()
	s, id := strand(t)
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(1)
	s.nothingNeeded()
}

// retryWhilePaused retries a stranded message, and holds that retry and the next message by a pause.
func retryWhilePaused(t *testing.T) (s *stage, id, next string) {
	t.Helper()
	s, id = strand(t)
	next = s.send("coder", "next")
	s.held(next, "parley's own text stands unsent") // it has been seen there
	s.pause(true)
	s.held(next, "paused") // the courier has seen that too
	s.retry(id)
	return s, id, next
}

func TestRetryDoesNotTypeWhatAPersonHasSent(t *testing.T) {
	t.Parallel()
	s, id, next := retryWhilePaused(t)
	s.press("Enter")
	s.wantMessages(1)
	// as programs show a prompt
	s.show("> hello\n(operator · msg " + parley.Short(id) + " · seal " + s.seal("coder") + ")")
	tmuxtest.WaitFor(t, s.pane("coder"), func(screen tmux.Screen) bool {
		text := screen.Text()
		return strings.Contains(text, "> hello") && strings.Count(text, parley.Short(id)) == 1
	})
	s.pause(false)
	d := s.reach(id, parley.DeliveryRead)
	if got := d.Steps[len(d.Steps)-2].Code; got != parley.ProofShown {
		t.Errorf("proven by %q, want %q", got, parley.ProofShown)
	}
	s.reach(next, parley.DeliveryRead)
	s.wantMessages(2)
}

func TestRetryDoesNotTypeATextThatSomebodySentOrCleared(t *testing.T) {
	t.Parallel()
	s, id, next := retryWhilePaused(t)
	s.press("C-u")
	tmuxtest.WaitFor(t, s.pane("coder"), func(sc tmux.Screen) bool { return !tmuxtest.Shows(sc, parley.Short(id)) })
	s.pause(false)
	s.reach(next, parley.DeliveryRead)
	if d := s.reach(id, parley.DeliveryUnconfirmed); d.ReasonCode != parley.EndedVanished {
		t.Errorf("it ended %q, want %q", d.ReasonCode, parley.EndedVanished)
	}
	s.wantMessages(1)

	s.retry(id) // now it is typed
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(2)
}

func TestStrandedTextIsKnownToTheNextDaemon(t *testing.T) {
	t.Parallel()
	s, id := strand(t)
	s.restart()
	s.held(s.send("coder", "next"), "parley's own text stands unsent")
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(2)
}

// unechoed launches a program that shows nothing of what is typed, and lets a daemon be killed
// between the paste and the Enter.
func unechoed(t *testing.T) (te *testTeam, id string) {
	te = newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{Mode: tmuxtest.Sink})
	id = te.interrupt("first", func(s *tmux.Server, pane, text string) { submit(te, s, pane, text, true) })
	te.reach(id, parley.DeliveryUnconfirmed)
	return te, id
}

func TestNothingIsTypedBehindATextThatMayStandUnseen(t *testing.T) {
	t.Parallel()
	te, id := unechoed(t)
	next := te.send("coder", "second")
	te.held(next, "may stand in its terminal unseen")
	if got := te.delivery(next).ReasonCode; got != parley.HoldUnsent {
		t.Errorf("held by %q", got)
	}
	if n := te.ownTextNeed(); !strings.Contains(n.Action, "--dismiss") {
		t.Errorf("got %+v", n)
	}

	te.needs(id) // the operator has seen to it
	if d := te.reach(next, parley.DeliveryUnconfirmed); d.ReasonCode != parley.EndedNotEntered {
		t.Errorf("it ended %q, want %q: nothing shows what is typed", d.ReasonCode, parley.EndedNotEntered)
	}
}

func TestRetryPressesTheEnterOfAnUnseenText(t *testing.T) {
	t.Parallel()
	te, id := unechoed(t)
	next := te.send("coder", "second")
	te.held(next, "may stand in its terminal unseen")
	te.retry(id)
	te.reach(id, parley.DeliverySubmitted)
	te.reach(next, parley.DeliverySubmitted) // the operator's word counts for a program that shows nothing
	info, err := te.pane("coder").Info(t.Context())
	if err != nil || info.Seq != 2 {
		t.Errorf("the pane is at %d, %v; want the retried text not to be typed again", info.Seq, err)
	}
}
