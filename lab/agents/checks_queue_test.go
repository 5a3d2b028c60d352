package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley"
)

// usesItsQueue sends urgent messages during work: into the program's own queue if its
// profile names the key. That is safe only if the text survives a question that a person
// refuses, work that a person interrupts, and a failure of the model.
func (s *onStage) usesItsQueue() {
	s.Helper()
	all := []*letter{s.send("WAIT and think")}
	s.inState(parley.StateBusy)
	s.begun(all[0])
	all = append(all, s.sendUrgent("this matters", "--priority", "high"), s.sendUrgent("and this\nmore so", "--urgent"))
	s.model.Release()
	s.arrives(all...)
	s.inState(parley.StateIdle)
	if s.profile.QueueKey == "" {
		return
	}

	file := filepath.Join(workdir(s.Home), "unwanted")
	s.queuesBehind("WAIT and "+s.asking(file), func() {
		s.model.Release()
		s.inState(parley.StateWaiting)
		s.refuse()
	})

	if _, err := os.Stat(file); err == nil {
		s.Errorf("the question was answered: %s is there", file)
	}

	s.queuesBehind("WAIT and think again", func() { s.refuse() })
	s.queuesBehind(fmt.Sprintf("WAIT and FAIL %d this time", s.program.fails[0]), s.model.Release)
}

// queuesBehind puts a message into the program's queue during work, and checks that it
// survives the end of the work.
func (s *onStage) queuesBehind(work string, end func()) {
	s.Helper()
	all := []*letter{s.send(work)}
	s.inState(parley.StateBusy)
	s.begun(all[0])
	all = append(all, s.sendUrgent("before that ends", "--urgent"))
	end()
	s.arrives(all...)
	s.inState(parley.StateIdle)
}

// sendUrgent sends to a working program, and checks that the text waits in the right
// queue.
func (s *onStage) sendUrgent(text string, flags ...string) *letter {
	s.Helper()
	m := s.send(text, flags...)
	if s.profile.QueueKey == "" {
		s.held("busy")
		return m
	}

	// On a busy machine the program can draw late, and the message waits for its rest.
	late := func() bool { return strings.Contains(s.status(m).Reason, "draws late") }
	s.wait("it is in the program's own queue: "+text, func() bool { return s.status(m).State.Delivered() || late() })
	if late() {
		return m
	}
	var evidence string
	for _, step := range s.status(m).Steps {
		if step.State == parley.DeliverySubmitted {
			evidence = step.Evidence
		}
	}

	if !strings.Contains(evidence, "into its own queue") {
		s.Errorf("%q was submitted by this evidence: %s", text, evidence)
	}
	if times, _ := s.prompted(m); times != 0 {
		s.Errorf("%q was sent %d times into the work", text, times)
	}

	return m
}
