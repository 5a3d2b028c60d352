package orchestrator

import (
	"strings"
	"testing"

	"parley"
	"parley/op"
	"parley/tmux/tmuxtest"
)

func TestWaitingMessageSaysWhatTheFirstOneWaitsFor(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{Dialog: te.dialog()})
	te.inState("coder", parley.StateWaiting)
	te.held(te.send("coder", "first"), "dialog")
	te.send("coder", "second")
	third := te.send("coder", "third")

	if got := te.delivery(third).WaitsFor; !strings.HasPrefix(got,
		"queued behind 2: coder has had a question open for ") {
		t.Errorf("the third waits for %q", got)
	}
	res, err := op.ExplainMessage.Call(te.operator(), te, parley.ExplainMessageRequest{MessageID: third})
	if err != nil || !strings.Contains(strings.Join(res.Story, "\n"),
		"queued behind 2: coder has had a question open") {
		t.Errorf("explain says %v, %v", res, err)
	}
	if got := res.Deliveries[0].Outlook; !strings.Contains(strings.Join(got, "\n"), "parley answer coder") {
		t.Errorf("explain does not say what releases the first: %q", got)
	}
	if got := te.inState("coder", parley.StateWaiting).WaitsFor; !strings.HasPrefix(got,
		"it has had a question open for ") {
		t.Errorf("agents says %q", got)
	}
}
