package orchestrator

import (
	"strings"
	"testing"

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
