package orchestrator

import (
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/conversation"
	"parley/tmux/tmuxtest"
)

// pass makes the agents forward a message in a circle, and returns the first delivery that is
// held.
func (te *testTeam) pass(names ...string) parley.Delivery {
	te.t.Helper()
	te.send(names[0], "pass it on")
	for i := range 20 {
		d := te.says(names[i%len(names)], names[(i+1)%len(names)], "over to you")
		if d.State == parley.DeliveryHeld {
			return d
		}
		te.reach(d.MessageID, parley.DeliveryRead)
	}
	te.t.Fatal("the circle goes on without end")
	return parley.Delivery{}
}

func TestAgentHeldForACircleIsToldToStaySilent(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	names := []string{"anna", "bob", "carl"}
	for _, name := range names {
		te.launch(name, "instant", tmuxtest.Agent{})
	}

	held := te.pass(names...)
	if held.Hold == nil || held.Hold.Reason != string(conversation.CycleSpent) || held.Hold.Until != nil {
		t.Fatalf("the hold is %+v", held.Hold)
	}

	from := names[(slices.Index(names, held.Recipient)+len(names)-1)%len(names)]
	state, err := op.GetConversationState.Call(te.agent(held.Recipient), te,
		parley.ConversationStateRequest{With: from})
	if err != nil || state.ShouldRespond || state.Reason != string(conversation.CycleSpent) {
		t.Errorf("%s is told %v for %s, %v", held.Recipient, state.ShouldRespond, state.Reason, err)
	}

	// A message from a person renews only the chain that it answers.
	if n := te.need(parley.NeedHeld); strings.Contains(n.Action, "write to one of them") {
		t.Errorf("the operator needs to %+v", n)
	}
}

func TestReleaseSaysThatAMuteStays(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("anna", "instant", tmuxtest.Agent{})
	te.launch("bob", "instant", tmuxtest.Agent{})
	thread := must.Have(op.CreateThread.Call(te.operator(), te,
		parley.CreateThreadRequest{Title: "plan", Participants: parley.Names{"anna", "bob"}}))(t)

	for _, what := range []parley.ControlConversationRequest{{With: "anna,bob"}, {ThreadID: thread.Thread.ID}} {
		for _, step := range []struct {
			action parley.ConversationAction
			says   string
		}{{parley.ActionMute, "is muted until"}, {parley.ActionRelease, "unmute it"},
			{parley.ActionUnmute, "not muted"}, {parley.ActionRelease, "goes on"}} {
			what.Action = step.action
			res, err := op.ControlConversation.Call(te.operator(), te, what)
			if err != nil || !strings.Contains(res.Message, step.says) {
				t.Errorf("%s says %+v, %v, want %q in it", step.action, res, err, step.says)
			}
		}
	}
}

func TestReplierIsToldWhyTheAnswerIsHeld(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.ChainHops = 1 })
	te.launch("anna", "instant", tmuxtest.Agent{})
	te.launch("bob", "instant", tmuxtest.Agent{})
	d := te.says("anna", "bob", "one")
	te.arrived(d.MessageID)
	res, err := op.RespondToMessage.Call(te.agent("bob"), te,
		parley.RespondToMessageRequest{MessageID: d.MessageID, Text: "two"})

	anna := te.roster.ByName("anna").ID
	if err != nil || !strings.HasPrefix(res.DeliveryStatus.PendingReasons[anna], string(parley.ConversationHeld)) {
		t.Errorf("the answer's receipt is %+v, %v", res, err)
	}

	update := parley.BroadcastUpdateRequest{
		UpdateType: "progress",
		Content:    parley.UpdateContent{Summary: "half of it"},
	}

	sent, err := op.BroadcastUpdate.Call(te.agent("bob"), te, update)
	if err != nil || !strings.HasPrefix(sent.DeliveryStatus.PendingReasons[anna], string(parley.ConversationHeld)) {
		t.Errorf("the update's receipt is %+v, %v", sent, err)
	}
}
