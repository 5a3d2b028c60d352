package agents

import (
	"path/filepath"
	"strings"
	"time"

	"parley"
)

// reportsWhatItDoes has the program work on a message, rest, and ask: it reports when it
// begins, with which message, and when it is done. So does the title of its terminal, if
// the profile reads titles.
func (s *onStage) reportsWhatItDoes() {
	s.Helper()
	s.reportsTurns()
	if s.program.ask == "" {
		return
	}
	s.arrives(s.send(s.asking(filepath.Join(workdir(s.Home), "forbidden"))))
	s.inState(parley.StateWaiting)
	s.titled(parley.StateWaiting)
	s.refuse()
	s.inState(parley.StateIdle)
	s.titled("")
}

// reportsTurns sends messages until the program reports the begin and the end of a turn.
// After a late report of the turn before there is no report, because the new prompt may
// have been queued.
func (s *onStage) reportsTurns() {
	s.Helper()
	for range 5 {
		m := s.send("WAIT for the report")
		s.arrives(m)
		silent := len(s.profile.Reports) == 0
		begun := silent || s.until(5*time.Second, func() bool { d := s.status(m); return !d.TurnStarted().IsZero() })
		s.titled(parley.StateBusy)
		s.model.Release()
		s.inState(parley.StateIdle)
		done := silent || s.until(5*time.Second, func() bool {
			ann := s.look()
			return ann.State == parley.StateIdle && strings.HasPrefix(ann.Evidence, "it reported ")
		})
		if begun && done {
			return
		}

		s.Logf("begin reported: %v, end: %v", begun, done)
	}

	s.Errorf("no turn was reported; the screen is\n%s", s.screen())
}

// titled waits until the terminal's title says a state, if the profile reads titles;
// "" is for one that says none.
func (s *onStage) titled(state parley.AgentState) {
	s.Helper()
	if _, reads := s.profile.Titles[string(state)]; len(s.profile.Titles) == 0 || state != "" && !reads {
		return
	}
	s.wait("its title says: "+string(state), func() bool {
		said, _ := s.profile.Title(s.terminal().Title)
		return said.State == state
	})
}
