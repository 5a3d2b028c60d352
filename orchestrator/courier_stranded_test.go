package orchestrator

import (
	"fmt"
	"slices"
	"testing"

	"parley"
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

func TestStrandedTextIsKnownToTheNextDaemon(t *testing.T) {
	t.Parallel()
	s, id := strand(t)
	s.restart()
	s.held(s.send("coder", "next"), "parley's own text stands unsent")
	s.retry(id)
	s.reach(id, parley.DeliveryRead)
	s.wantMessages(2)
}

// press sends keys to the agent's terminal without tmux seeing a client type them.
func (s *stage) press(keys ...string) {
	s.t.Helper()
	s.tmuxRun(append([]string{"send-keys", "-t", s.pane("coder").ID()}, keys...)...)
}
