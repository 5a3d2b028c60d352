package orchestrator

import (
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// retry retries as the operator and returns the answer.
func (te *testTeam) retry(id string) *parley.RetryDeliveryResult {
	te.t.Helper()
	return must.Have(op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id}))(te.t)
}

// dropped launches an agent that ends before it has read its first message, and launches it again. It returns that
// message, which is unconfirmed, and the agent's log.
func (te *testTeam) dropped(name string) (id, log string) {
	te.t.Helper()
	log = te.launch(name, "quick", tmuxtest.Agent{})
	te.inState(name, parley.StateIdle)
	pane := te.pane(name)
	pid := must.Have(pane.Info(te.t.Context()))(te.t).PID
	must.Do(te.t, syscall.Kill(pid, syscall.SIGSTOP))

	id = te.send(name, "too early")
	tmuxtest.Poll(te.t, func() bool {
		info, err := pane.Info(te.t.Context())
		return err == nil && info.Phase == tmux.PanePasted
	}, func() string { return "it was not typed" })
	must.Do(te.t, syscall.Kill(pid, syscall.SIGKILL))
	te.reach(id, parley.DeliveryUnconfirmed)

	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: name}))(te.t)
	te.begun(name)
	te.inState(name, parley.StateIdle)

	return id, log
}

// The only participant of a thread may post there.
func TestRetryOfAMessageToNobodySaysSo(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	me := te.as("planner")
	te.as("coder")
	alone := must.Have(op.CreateThread.Call(me, te, parley.CreateThreadRequest{Title: "notes"}))(t)
	id := te.sends(me, parley.SendMessageRequest{ThreadID: alone.Thread.ID, Text: "to myself"}).MessageID

	for _, to := range []string{"", "coder"} {
		_, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id, Recipient: to})
		wantCode(t, err, parley.InvalidRecipient)
		if err == nil || !strings.Contains(err.Error(), "has no recipient") {
			t.Errorf("to %q: got %v", to, err)
		}
	}
}

func rungs(d parley.Delivery) []parley.DeliveryState {
	var all []parley.DeliveryState
	for _, s := range d.Steps {
		all = append(all, s.State)
	}
	return all
}

func TestRetryTypesAnUnconfirmedMessageOnceMore(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	id, log := te.dropped("coder")
	res := te.retry(id)
	d := te.arrived(id)
	if len(res.Retried) != 1 || res.Retried[0] != d.RecipientID || res.Message != "Queued again for coder." {
		t.Errorf("answer %+v, want that it was queued again for coder", res)
	}
	if diff := cmp.Diff([]parley.DeliveryState{"queued", "typing", "unconfirmed", "queued", "typing", "submitted"},
		rungs(d)); diff != "" {
		t.Errorf("ladder (-want +got):\n%s", diff)
	}
	if got := d.Steps[3].Evidence; got != "retried by the operator" {
		t.Errorf("the step of the retry says %q", got)
	}
	if got := tmuxtest.WaitMessages(t, log, 1); len(got) != 1 || !strings.Contains(got[0].Text, "too early") {
		t.Errorf("the agent got %+v, want the message once", got)
	}

	_, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id})
	if parley.ErrorCode(err) != parley.AlreadyDelivered {
		t.Errorf("a retry of what has arrived gave %v, want %s", err, parley.AlreadyDelivered)
	}
	if got := len(te.delivery(id).Steps); got != len(d.Steps) {
		t.Errorf("the refused retry left %d steps, want %d", got, len(d.Steps))
	}
}

// A stored retry survives the daemon. The pause keeps it from being delivered before the daemon
// ends.
func TestRetryOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	id, log := te.dropped("coder")
	te.pause(true)
	te.retry(id)
	te.restart()
	te.held(id, "communication is paused")
	te.pause(false)
	te.arrived(id)
	te.arrived(te.send("coder", "and on"))
	if got := tmuxtest.WaitMessages(t, log, 2); len(got) != 2 || !strings.Contains(got[0].Text, "too early") {
		t.Errorf("the agent got %+v, want the retried message once, then the other", got)
	}
}

func TestRetryOfAHeldMessageSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID())
	id := te.send("coder", "wait for me")
	te.held(id, "copy mode")
	res := te.retry(id)
	if len(res.Retried) != 0 || !strings.Contains(res.Message, "coder (held: someone is scrolling") {
		t.Errorf("answer %+v, want why it waits", res)
	}

	te.tmuxRun("copy-mode", "-q", "-t", te.pane("coder").ID())
	d := te.arrived(id)
	if got := tmuxtest.WaitMessages(t, log, 1); len(got) != 1 || len(rungs(d)) != 4 {
		t.Errorf("the agent got %v, want one message; ladder %v", got, rungs(d))
	}
}

// A retried message to a stopped agent waits for its next launch.
func TestRetryOfAFailedMessageWaitsForTheAgent(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.stop("coder")

	id := te.send("coder", "before you were back")
	te.reach(id, parley.DeliveryFailed)
	te.retry(id)
	te.held(id, "parley restart coder")
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
}

func TestRetryOfOneRecipientLeavesTheOthers(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	for _, name := range []string{"one", "two"} {
		te.launch(name, "quick", tmuxtest.Agent{})
		te.stop(name)
	}

	te.as("box")
	sent := te.sends(te.operator(), parley.SendMessageRequest{To: parley.Names{"one", "two"}, Text: "both"})

	res, err := op.RetryDelivery.Call(te.operator(), te,
		parley.RetryDeliveryRequest{MessageID: sent.MessageID, Recipient: "one"})
	if err != nil || len(res.Retried) != 1 || res.Message != "Queued again for one." {
		t.Fatalf("got %+v, %v", res, err)
	}

	for _, d := range res.Deliveries {
		if failed := d.State == parley.DeliveryFailed; failed != (d.Recipient == "two") {
			t.Errorf("%s is %s", d.Recipient, d.State)
		}
	}

	for recipient, want := range map[string]parley.Code{"box": parley.InvalidRecipient,
		"nobody": parley.AgentNotFound} {
		_, err := op.RetryDelivery.Call(te.operator(), te,
			parley.RetryDeliveryRequest{MessageID: sent.MessageID, Recipient: recipient})
		if parley.ErrorCode(err) != want {
			t.Errorf("retry for %s gave %v, want %s", recipient, err, want)
		}
	}
}

// What the operator wants typed although the agent is blocked waits for a person who has just come, and then goes.
func TestRetryBehindALimitGoesOnWhileSomebodyIsAttached(t *testing.T) {
	t.Parallel()
	te := newStage(t, tmuxtest.Agent{})
	te.show("limit reached")
	te.inState("coder", parley.StateBlocked)
	id := te.send("coder", "go on")
	te.held(id, "usage limit")

	tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 120, 41)
	must.Have(op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id}))(t)
	te.arrived(id)
}
