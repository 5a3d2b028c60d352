package orchestrator

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

// A hook at the end of a turn takes what waits for its program, one message at a time, and no other hook does.
func TestAHookTakesWhatWaits(t *testing.T) {
	t.Parallel()
	te := newStage(t, tmuxtest.Agent{}, framedWith(t,
		"{reports: {Prompt: prompted, Done: idle}, door: {hooks: {end: {event: Done}}}}"))
	te.reach(te.send("coder", "the first"), parley.DeliveryRead) // typed while it rests
	te.show("working")
	te.inState("coder", parley.StateBusy)
	hook := func(event string, waits bool) string {
		t.Helper()
		req := parley.ReportStateRequest{Event: event, Waits: waits}
		return must.Have(op.ReportState.Call(te.caller("coder"), te, req))(t).Prints
	}

	began := time.Now()
	if got := hook("Done", true); got != "" || time.Since(began) > 500*time.Millisecond {
		t.Errorf("with nothing there it prints %q after %s", got, time.Since(began))
	}

	first, second := te.send("coder", "the next"), te.send("coder", "the one after")
	te.held(first, "busy")
	for event, waits := range map[string]bool{"Prompt": true, "subagent:Done": true, "Other": true} {
		if got := hook(event, waits); got != "" {
			t.Errorf("at %s it prints %q", event, got)
		}
	}
	for _, want := range []struct{ id, text string }{{first, "the next"}, {second, "the one after"}} {
		got := hook("Done", true)
		if !strings.Contains(got, `"decision":"block"`) || !strings.Contains(got, want.text) {
			t.Fatalf("it prints %q, want %q", got, want.text)
		}
		te.reportNow("coder", parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(want.id)}})
		te.reach(want.id, parley.DeliveryRead)
	}
	if d := te.delivery(first); !strings.Contains(d.Steps[len(d.Steps)-1].Evidence, parley.ThroughDoor) {
		t.Errorf("it is %+v", d.Steps)
	}

	third := te.send("coder", "held")
	te.held(third, "busy")
	pause := parley.PauseCommunicationRequest{Paused: true, Reason: "lunch"}
	must.Have(op.PauseCommunication.Call(te.operator(), te, pause))(t)
	if got := hook("Done", true); got != "" {
		t.Errorf("during a pause it prints %q", got)
	}
}
