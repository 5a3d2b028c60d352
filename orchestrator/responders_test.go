package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

func TestResponderWithTheNameOfAnotherIsLeftOut(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	te.as("coder")
	te.launch("runner", "framed", tmuxtest.Agent{})
	te.close()
	dm := te.opts.Responders[0]
	for _, name := range []string{"Coder", "runner"} {
		taken := dm
		taken.Name = name
		te.opts.Responders = append(te.opts.Responders, taken)
	}

	te.open()
	status, err := op.GetWorkspaceStatus.Call(te.operator(), te, parley.WorkspaceStatusRequest{})
	if err != nil || len(status.Warnings) != 2 ||
		!strings.Contains(status.Warnings[0], "responder Coder of parley.yaml") ||
		!strings.Contains(status.Warnings[0], "Choose another name") {
		t.Errorf("the status warns %q, %v", status.Warnings, err)
	}

	te.tell(te.operator(), "SAY all the same")
	if a := te.inState("runner", parley.StateIdle); a.Kind != parley.KindTerminal || a.Responder != nil {
		t.Errorf("the agent of that name became %+v", a.Agent)
	}
	if d := te.delivery(te.send("coder", "hello")); d.State != parley.DeliverySubmitted || d.AnsweredBy != "" {
		t.Errorf("a message to the mailbox of that name: %+v", d)
	}
}

func TestApprovalMakesAResponderAtOnce(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	res := must.Have(op.RegisterAgent.Call(t.Context(), te, parley.RegisterAgentRequest{Username: "sage", Special: true,
		Config: &parley.ResponderConfig{ModelID: "scripted", BaseURL: s.URL + "/v1"}}))(t)

	is := func(kind parley.AgentKind, special bool) {
		t.Helper()
		all, err := op.GetAgentStatus.Call(te.operator(), te, parley.AgentStatusRequest{Agent: "sage"})
		if err != nil || all.Agents[0].Kind != kind || all.Agents[0].IsSpecial != special {
			t.Errorf("sage is %+v, %v; want a %s", all.Agents, err, kind)
		}
		if c, ok := te.roster.Authenticate(t.Context(), res.APIKey); !ok || c.Kind != kind {
			t.Errorf("it calls as %+v", c)
		}

		if _, err := op.LaunchAgent.Call(te.operator(), te, parley.LaunchAgentRequest{Name: "sage", Profile: "framed",
			Command: []string{"cat"}}); !strings.Contains(
			err.Error(),
			string(kind),
		) {
			t.Errorf("its name is taken by %v", err)
		}
	}

	decide := func(approve bool) {
		t.Helper()
		must.Have(op.ApproveAgent.Call(te.operator(), te, parley.ApproveAgentRequest{Agent: "sage",
			Approve: approve}))(t)
	}

	is(parley.KindMailbox, false)
	decide(true)
	is(parley.KindResponder, true)

	sent, err := op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{To: parley.Names{"sage"},
		Text: "SAY wise"})
	if err != nil || sent.Reply == nil || sent.Reply.Text != "wise" {
		t.Errorf("approved, it answered %+v, %v", sent, err)
	}

	thread := te.room(te.operator(), "sage")
	id, _ := te.postTo(te.operator(), thread, "SAY wise too", "sage")
	te.answerOf(id, "sage")
	decide(false)
	is(parley.KindMailbox, false)
	if sent, err := op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{To: parley.Names{"sage"},
		Text: "SAY wise"}); err != nil ||
		sent.Reply != nil {
		t.Errorf("declined, it answered %+v, %v", sent, err)
	}
}

// TestDaemonKilledAmidAnAnswerAnswersNothingTwice ends a daemon with SIGKILL while a model
// writes an answer to a message and one to a thread's post.
func TestDaemonKilledAmidAnAnswerAnswersNothingTwice(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	thread := te.room(te.operator(), "DM")
	te.close()
	cmd, in, answers := te.startCrashDaemon(t, s.URL)
	killed := sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	defer killed()

	fmt.Fprintf(in, "#%s PAUSE posted\n", thread)
	if !answers.Scan() {
		t.Fatal("the post was not accepted")
	}

	posted := answers.Text()
	fmt.Fprintln(in, "DM PAUSE sent")
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 2 },
		func() string { return fmt.Sprintf("%d requests came", len(s.Requests())) })

	killed()
	s.Release()
	te.open()
	te.quiet()

	needs := te.needs("")
	if len(needs) != 2 {
		t.Fatalf("needs are %+v", needs)
	}

	sent := ""
	for _, n := range needs {
		if n.Kind != parley.NeedUnanswered || !strings.Contains(n.Text, "the daemon ended") {
			t.Errorf("a need is %+v", n)
		}
		if n.MessageID != posted {
			sent = n.MessageID
		}
	}

	_, err := op.SendMessage.Call(te.operator(), te,
		parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "PAUSE sent", IdempotencyKey: "PAUSE sent"})
	if parley.ReasonOf(err) != parley.ModelNotAnswering || parley.AsError(err).Details["message_id"] != sent {
		t.Errorf("the repeated call: %v", err)
	}
	if n := len(s.Requests()); n != 2 {
		t.Fatalf("the model was asked %d times, want 2", n)
	}

	var retries sync.WaitGroup
	// the second of each waits for the first, or comes too late
	for _, id := range []string{sent, posted, sent, posted} {
		retries.Go(func() {
			if _, err := op.RetryDelivery.Call(te.operator(), te,
				parley.RetryDeliveryRequest{MessageID: id}); err != nil &&
				parley.ErrorCode(err) != parley.AlreadyDelivered {
				t.Errorf("retry: %v", err)
			}
		})
	}

	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 4 },
		func() string { return fmt.Sprintf("%d requests came", len(s.Requests())) })

	s.Release()
	retries.Wait()
	for _, id := range []string{sent, posted} {
		if d := te.deliveryTo(id, "DM"); d.State != parley.DeliveryAnswered {
			t.Errorf("after the retry %s is %+v", id, d)
		}
	}

	if n := len(s.Requests()); n != 4 || te.spent().Answered != 2 {
		t.Errorf("the model was asked %d times, and answered %+v", n, te.spent())
	}
}

func TestPauseLetsARunningAnswerFinish(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	done := make(chan *parley.SendMessageResult, 1)
	go func() {
		res, err := op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "PAUSE"})
		if err != nil {
			t.Errorf("the call: %v", err)
		}
		done <- res
	}()

	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 }, func() string { return "the model was not asked" })
	te.pause(true)

	s.Release()
	if res := <-done; res == nil || res.Reply == nil || res.Reply.Text != "Well, that is it." {
		t.Errorf("got %+v", res)
	}

	if _, err := op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"},
		Text: "SAY no"}); parley.ErrorCode(
		err,
	) != parley.CommunicationDisabled ||
		len(s.Requests()) != 1 {
		t.Errorf("while paused: %v; %d requests", err, len(s.Requests()))
	}
}

func TestShutdownTellsTheAskingAgent(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	failed := make(chan error, 1)
	go func() {
		_, err := op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "PAUSE"})
		failed <- err
	}()

	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 }, func() string { return "the model was not asked" })
	ended := te.Orchestrator
	began := time.Now()
	te.StopAnswering()
	err := <-failed
	te.close()
	if took := time.Since(began); took > 10*time.Second { // half of what a model has
		t.Errorf("the daemon took %s to end", took)
	}
	if parley.ReasonOf(err) != parley.ModelCancelled || parley.AsError(err).Details["message_id"] == nil {
		t.Errorf("the call: %v", err)
	}

	if _, err := op.SendMessage.Call(ada, ended, parley.SendMessageRequest{To: parley.Names{"DM"},
		Text: "SAY no"}); parley.ErrorCode(
		err,
	) != parley.ModelUnavailable {
		t.Errorf("a call after the end: %v", err)
	}

	te.open()
	id, _ := parley.AsError(err).Details["message_id"].(string)
	if d := te.delivery(id); d.State != parley.DeliverySubmitted || d.ReasonCode != parley.EndedNoAnswer {
		t.Errorf("the message is %+v", d)
	}

	res, err := op.Usage.Call(te.operator(), te, parley.UsageRequest{Calls: 5})
	if err != nil || len(res.Calls) != 1 || res.Calls[0].Reason != parley.ModelCancelled {
		t.Errorf("accounted for are %+v, %v", res, err)
	}
}

// TestConcurrentModelCallsAreBounded has ten agents ask one responder that allows three calls at once.
func TestConcurrentModelCallsAreBounded(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	te.reopen(func(o *Options) { o.Settings.ModelCalls = 3 })
	var calls sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		as := te.as(fmt.Sprint("agent", i))
		calls.Go(func() {
			_, errs[i] = op.SendMessage.Call(as, te,
				parley.SendMessageRequest{To: parley.Names{"DM"}, Text: fmt.Sprint("PAUSE ", i)})
		})
	}

	for left := 10; left > 0; left -= 3 {
		most := min(10-left+3, 10)
		tmuxtest.Poll(t, func() bool { return len(s.Requests()) == most && te.responders.InFlight() == left },
			func() string {
				return fmt.Sprintf("%d requests came, want %d; %d wait, want %d", len(s.Requests()),
					most, te.responders.InFlight(), left)
			})
		s.Release()
	}

	calls.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestWaitForAModelCallIsBounded(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	te.reopen(func(o *Options) { o.Settings.ModelCalls = 1 })
	ada, bob, cleo := te.as("ada"), te.as("bob"), te.as("cleo")
	first := make(chan error, 1)
	go func() {
		_, err := op.SendMessage.Call(ada, te, parley.SendMessageRequest{To: parley.Names{"DM"}, Text: "PAUSE"})
		first <- err
	}()

	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 }, func() string { return "the model was not asked" })
	leaving, leave := context.WithCancel(bob)
	leave()
	if _, err := op.SendMessage.Call(leaving, te, parley.SendMessageRequest{To: parley.Names{"DM"},
		Text: "SAY gone"}); err == nil {
		t.Error("who left got an answer")
	}

	late, end := context.WithTimeout(cleo, 500*time.Millisecond)
	defer end()
	te.fails(late, "SAY late", parley.ModelSlow)
	s.Release()
	if err := <-first; err != nil {
		t.Errorf("the first: %v", err)
	}

	reasons := []parley.ModelReason{}
	res, err := op.Usage.Call(te.operator(), te, parley.UsageRequest{Calls: 5})
	for _, c := range res.Calls {
		reasons = append(reasons, c.Reason)
	}

	if err != nil || len(s.Requests()) != 1 || !slices.Contains(reasons, parley.ModelSlow) {
		t.Errorf("%d requests; accounted for are %q, %v", len(s.Requests()), reasons, err)
	}
}
