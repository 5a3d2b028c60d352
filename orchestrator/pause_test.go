package orchestrator

import (
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

func (te *testTeam) pause(paused bool) *parley.PauseCommunicationResult {
	te.t.Helper()
	return must.Have(op.PauseCommunication.Call(te.operator(), te, parley.PauseCommunicationRequest{Paused: paused,
		Reason: "lunch"}))(te.t)
}

func TestPauseRefusesAndHoldsAndReadingWorks(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	me := te.as("sender")
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID()) // keeps the message from being typed before the pause
	id := te.send("coder", "before the pause")
	te.held(id, "copy mode")
	if res := te.pause(true); res.Paused == nil || res.Paused.By != "operator" || res.Paused.Reason != "lunch" ||
		res.Waiting != 1 {
		t.Errorf("answer %+v, %+v", res, res.Paused)
	}

	te.tmuxRun("copy-mode", "-q", "-t", te.pane("coder").ID())
	te.held(id, "communication is paused by operator: lunch")

	_, err := op.SendMessage.Call(me, te, parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "x"})
	if parley.ErrorCode(err) != parley.CommunicationDisabled {
		t.Errorf("a message in the pause gave %v, want %s", err, parley.CommunicationDisabled)
	}

	_, err = op.BroadcastMessage.Call(te.operator(), te, parley.BroadcastMessageRequest{Text: "x"})
	if parley.ErrorCode(err) != parley.CommunicationDisabled {
		t.Errorf("a broadcast in the pause gave %v, want %s", err, parley.CommunicationDisabled)
	}
	if _, err := op.CheckInbox.Call(me, te, parley.CheckInboxRequest{}); err != nil {
		t.Errorf("reading in the pause: %v", err)
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Errorf("typed in the pause: %v", got)
	}

	te.pause(false)
	te.arrived(id)
	te.arrived(te.send("coder", "after it"))
}

func TestPauseOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	first := te.pause(true).Paused
	te.restart()

	status, err := op.GetWorkspaceStatus.Call(te.operator(), te, parley.WorkspaceStatusRequest{})
	if err != nil || status.Paused == nil || !status.Paused.Since.Equal(first.Since) {
		t.Fatalf("the status shows %+v, %v, want %+v", status.Paused, err, first)
	}
	if again := te.pause(true).Paused; !again.Since.Equal(first.Since) {
		t.Errorf("a repeated pause begins at %v, want %v", again.Since, first.Since)
	}
	if res := te.pause(false); res.Paused != nil {
		t.Errorf("after its end: %+v", res.Paused)
	}

	te.restart()
	te.as("box")
	te.send("box", "it is over")
}
