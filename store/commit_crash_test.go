package store

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"parley/internal/must"
)

// A killed process stands for a killed daemon: everything that it acknowledged is stored,
// and complete.
func TestKilledProcessLosesNothingAcknowledged(t *testing.T) {
	s, path := openNew(t, 2)
	must.Do(t, s.Close())

	acknowledged := map[string]bool{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"=append", childVar+"_DB="+path, childVar+"_URL="+at(t, path).URL)
		cmd.Stderr = os.Stderr

		out := must.Have(cmd.StdoutPipe())(t)
		must.Do(t, cmd.Start())

		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if len(lines.Text()) == 36 { // not a cut one
				acknowledged[lines.Text()] = true
			}

			if n == 50+37*round {
				must.Do(t, cmd.Process.Kill())
			}
		}

		_ = cmd.Wait()
	}

	s = openAt(t, path)
	if len(acknowledged) < 5*50 {
		t.Fatalf("only %d messages were acknowledged", len(acknowledged))
	}

	for id := range acknowledged {
		if _, deliveries, err := s.Messages.Message(t.Context(), id); err != nil || len(deliveries) != 1 {
			t.Errorf("message %s: got %d deliveries, %v", id, len(deliveries), err)
		}
	}

	log := agentLog(t, s, 1)
	page, err := s.Inbox.Page(t.Context(), InboxQuery{RecipientID: agentID(1), Limit: 1})
	if err != nil || page.Total < len(acknowledged) {
		t.Fatalf("%d messages, want %d or more (%v)", page.Total, len(acknowledged), err)
	}

	// Each message has one row of the log (the agent itself has one more) and one event.
	if got, want := len(log), page.Total+1; got != want {
		t.Errorf("agent log: got %d rows, want %d", got, want)
	}

	events, err := s.Events.List(t.Context(), EventQuery{Limit: 1_000_000})
	if got, want := len(events), page.Total+2; got != want || err != nil {
		t.Errorf("events: got %d, %v, want %d", got, err, want)
	}
}
