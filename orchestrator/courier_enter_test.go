package orchestrator

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/tmux/tmuxtest"
)

// typedUpon sends to an agent that loses the Enter, and has a person type after that Enter. It
// returns when the delivery reports that the text still stands in the composer.
func (s *stage) typedUpon(types func()) (id string) {
	s.t.Helper()
	id = s.send("coder", "hello")
	tmuxtest.Poll(s.t, func() bool { return s.isEntered("coder") },
		func() string { return fmt.Sprintf("it was not entered: %+v", s.delivery(id)) })

	types()
	tmuxtest.Poll(s.t, func() bool { return strings.Contains(s.delivery(id).Reason, "still stands in its composer") },
		func() string { return fmt.Sprintf("%+v", s.delivery(id)) })
	s.wantMessages(0)

	return id
}

// press sends keys to the agent's terminal without tmux seeing a client type them.
func (s *stage) press(keys ...string) {
	s.t.Helper()
	s.tmuxRun(append([]string{"send-keys", "-t", s.pane("coder").ID()}, keys...)...)
}

func (s *stage) isSubmittedBySecondEnter(id string) {
	s.t.Helper()
	d := s.reach(id, parley.DeliveryRead)
	if got := d.Steps[len(d.Steps)-2].Evidence; !strings.Contains(got, "second Enter") {
		s.t.Errorf("the evidence is %q", got)
	}
	s.wantMessages(1)
}

func TestLostEnterIsRetriedWhenThePersonRemovedTheirText(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1}, framedWith(t, "taken_within: 1s"))
	id := s.typedUpon(func() { s.press("-l", " and mine") })
	s.press(slices.Repeat([]string{"BSpace"}, len(" and mine"))...)
	s.isSubmittedBySecondEnter(id)
}

func TestLostEnterIsRetriedIntoTheProgramsQueue(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1}, framedWith(t, "taken_within: 1s\nqueue_key: Enter"))
	s.show("working")
	s.inState("coder", parley.StateBusy)
	s.isSubmittedBySecondEnter(s.sendAs(parley.PriorityUrgent, "stop the release"))
}

func TestTextClearedByAPersonIsNotReportedAsSubmitted(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1}, framedWith(t, "taken_within: 1s"))
	id := s.typedUpon(func() { s.press("-l", " and mine") })
	s.press("C-u")
	d := s.reach(id, parley.DeliveryUnconfirmed)
	if !strings.Contains(d.Reason, "was not seen to be taken") {
		t.Errorf("the reason is %q", d.Reason)
	}
	s.wantMessages(0)
}

func TestTextSubmittedByAPersonIsReportedAsSubmitted(t *testing.T) {
	t.Parallel()
	s := newStage(t, tmuxtest.Agent{Deaf: 1}, framedWith(t, "taken_within: 1s"))
	id := s.typedUpon(func() { s.press("-l", " and mine") })
	s.show("hello (operator · msg " + parley.Short(id) + ") and mine") // as programs show a submitted prompt
	s.press("Enter")
	s.reach(id, parley.DeliveryRead)
	if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 || !strings.Contains(got[0].Text, "and mine") {
		t.Errorf("got %+v, want both as one", got)
	}
}
