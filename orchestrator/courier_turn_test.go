package orchestrator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tmux/tmuxtest"
)

// launchReporting launches a fake agent whose profile expects reports of its prompts.
func launchReporting(t *testing.T, takenWithin string, a tmuxtest.Agent) (te *testTeam, log string) {
	te = newTeam(t, func(o *Options) {
		known := "{extends: framed, taken_within: " + takenWithin + ", reports: {Prompt: prompted, Done: idle}}"
		o.Profiles = must.Have(o.Profiles.With("speaker", []byte(known)))(t)
	})
	return te, te.launch("ann", "speaker", a)
}

// begins reports the start of a message's turn as ann and, right away, its end.
func (te *testTeam) begins(id string) {
	te.t.Helper()
	te.reportNow("ann", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}})
	te.reportNow("ann", parley.ReportStateRequest{Event: "Done"})
}

func TestTextThatLeftTheComposerUnreportedIsNotProven(t *testing.T) {
	t.Parallel()
	te, log := launchReporting(t, "300ms", tmuxtest.Agent{})
	first := te.send("ann", "first")
	tmuxtest.WaitMessages(t, log, 1)
	te.begins(first)
	te.reach(first, parley.DeliveryRead)
	second := te.send("ann", "second")
	if d := te.reach(second, parley.DeliveryUnconfirmed); !strings.Contains(d.Reason, "has not reported it") {
		t.Errorf("unconfirmed because %q", d.Reason)
	}
	te.begins(second)
	te.reach(second, parley.DeliveryRead)
}

func TestProgramThatNeverReportsIsBelievedByItsScreen(t *testing.T) {
	t.Parallel()
	te, log := launchReporting(t, "300ms", tmuxtest.Agent{})
	for _, text := range []string{"first", "second"} {
		if d := te.reach(te.send("ann", text), parley.DeliveryRead); !strings.Contains(d.Steps[len(d.Steps)-2].Evidence,
			"composer was emptied") {
			t.Errorf("%s came to it by %+v", text, d.Steps)
		}
	}
	tmuxtest.WaitMessages(t, log, 2)
}

func TestNextMessageWaitsUntilTheQueuedOneBegins(t *testing.T) {
	t.Parallel()
	above := filepath.Join(t.TempDir(), "above")
	must.Do(t, os.WriteFile(above, []byte("working"), 0o600))

	te, log := launchReporting(t, "30s", tmuxtest.Agent{Above: above})
	te.inState("ann", parley.StateBusy)
	res := te.sends(te.operator(),
		parley.SendMessageRequest{To: parley.Names{"ann"}, Text: "first", Priority: parley.PriorityUrgent})

	te.reach(res.MessageID, parley.DeliveryRead)
	must.Do(t, os.Remove(above))

	te.inState("ann", parley.StateIdle)
	second := te.send("ann", "second")
	te.held(second, "not begun")
	if got := len(tmuxtest.Messages(t, log)); got != 1 {
		t.Errorf("it was given %d messages, want the first alone", got)
	}

	te.begins(res.MessageID)
	tmuxtest.WaitMessages(t, log, 2)
	te.begins(second)
	te.reach(second, parley.DeliveryRead)
}

func TestQueuedMessageThatNeverBeginsDoesNotHoldTheNextForLong(t *testing.T) {
	t.Parallel()
	te, log := launchReporting(t, "300ms", tmuxtest.Agent{})
	te.reach(te.send("ann", "hello"), parley.DeliveryRead)
	tmuxtest.WaitMessages(t, log, 1)
}
