package agents

import (
	"strings"
	"syscall"
	"testing"

	"parley"
	"parley/internal/testhome"
)

// After the death of the machine each program comes back with its own conversation: its model sees the
// earlier turns again.
func TestProgramsComeBackWithTheirConversations(t *testing.T) {
	alone(t, theReturn, func(t *testing.T, program installed) {
		comesBack(launchReal(t, program, aloneAt, "--prompt", "the first is HERON"))
	})
}

func comesBack(s *onStage) {
	s.Helper()
	s.wait("its prompt is proven", func() bool { return s.status(s.first()).State.Delivered() })
	s.inState(parley.StateIdle)
	second := s.send("the second is OSPREY")
	s.begun(second)
	s.wait("it is proven", func() bool { return s.status(second).State.Delivered() }, second)
	s.inState(parley.StateIdle)
	s.wait("its session is known", func() bool { return s.look().Session.Begun() })
	first := s.agent.Session.ID

	s.dies()
	waits := s.send("sent while all was dead")
	s.wait("the operator is told", func() bool {
		needs := testhome.Run[parley.GetNeedsResult](s.T, s.Home, "needs").Needs
		return len(needs) == 1 && needs[0].Kind == parley.NeedLost
	})

	s.returns(parley.ConversationResumed, "up")
	s.begun(waits)
	s.inState(parley.StateIdle)
	for _, text := range []string{"HERON", "OSPREY", "You said: "} {
		if !strings.Contains(s.model.Turn(), text) {
			s.Errorf("after it came back, its model does not see %q:\n%s", text, s.model.Turn())
		}
	}
	if again := s.look().Session; again.ID != first || again.State != parley.SessionBegun {
		s.Errorf("its session is %+v, want %s begun", again, first)
	}

	s.returns(parley.ConversationNew, "restart", "ann", "--fresh")
	if again := s.look().Session; again.ID == first {
		s.Errorf("started afresh, it has its old session %s; it may have looked at it", first)
	}
	s.begun(s.send("begin anew"))
	if strings.Contains(s.model.Turn(), "HERON") {
		s.Errorf("with --fresh its model still sees the old turns:\n%s", s.model.Turn())
	}
}

// first returns the message that ann was launched with.
func (s *onStage) first() *letter {
	return &letter{Message: &parley.Message{ID: s.prompt}}
}

// returns starts ann again, and checks with which conversation.
func (s *onStage) returns(conversation string, command ...string) {
	s.Helper()
	res := testhome.Run[parley.LaunchAgentResult](s.T, s.Home, command...)
	if res.Conversation != conversation {
		s.Errorf("parley %v: its conversation is %q, want %q", command, res.Conversation, conversation)
	}
	s.pid = res.PID
	s.wait("ann is idle", func() bool {
		state := s.look().State
		if state == parley.StateWaiting {
			s.resumesAnyway()
		}
		return state == parley.StateIdle
	})
}

// resumesAnyway answers the question of a program that believes its conversation to be open elsewhere, as
// GitHub Copilot CLI sometimes does after all processes were killed.
func (s *onStage) resumesAnyway() {
	s.Helper()
	d := s.dialog()
	o, ok := d.Find("Resume anyway")
	if !ok {
		s.Fatalf("it asks %q", d.Question)
	}
	s.answer(d, o.Choice)
	s.wait("the dialog is closed", func() bool { return s.look().State != parley.StateWaiting })
}

// dies kills all processes of the home, as the death of the machine does.
func (s *onStage) dies() {
	s.Helper()
	s.leave()
	s.wait("all processes end", func() bool {
		left := s.Processes()
		for pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(left) == 0
	})
}
