package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/conversation"
	"parley/tmux/tmuxtest"
)

// agent returns a context with a launched agent as the caller.
func (te *testTeam) agent(name string) context.Context {
	te.t.Helper()
	m := te.roster.ByName(name)
	if m == nil {
		te.t.Fatalf("there is no %s", name)
	}
	return parley.WithCaller(context.Background(), parley.Caller{ID: m.ID, Name: m.Name})
}

// says sends a message as an agent and returns its only delivery.
func (te *testTeam) says(from, to, text string) parley.Delivery {
	te.t.Helper()
	res, err := op.SendMessage.Call(te.agent(from), te, parley.SendMessageRequest{To: parley.Names{to}, Text: text})
	if err != nil {
		te.t.Fatalf("%s to %s: %v", from, to, err)
	}
	return res.Deliveries[0]
}

// chat makes two agents answer everything typed into their terminals until a message is held.
// It returns the number of messages sent, and the held one.
func (te *testTeam) chat(logs map[string]string, seen map[string]int) (sent int, held parley.Delivery) {
	te.t.Helper()
	other := map[string]string{"anna": "bob", "bob": "anna"}
	for sent < 100 {
		var who string
		tmuxtest.Poll(te.t, func() bool {
			for name, log := range logs {
				if len(tmuxtest.Messages(te.t, log)) > seen[name] {
					who = name
					return true
				}
			}

			return false
		}, func() string { return "nobody got anything to answer" })

		seen[who]++
		sent++
		if d := te.says(who, other[who], fmt.Sprintf("thank you, that makes %d",
			sent)); d.State == parley.DeliveryHeld {
			return sent, d
		}
	}

	te.t.Fatal("they talk without end")

	return 0, held
}

func TestEndlessExchangeIsHeldUntilReleased(t *testing.T) {
	t.Parallel()
	// more than any machine sends in that time
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.PairTenMinutes = 7 })
	logs, seen := map[string]string{
		"anna": te.launch("anna", "framed", tmuxtest.Agent{}),
		"bob":  te.launch("bob", "framed", tmuxtest.Agent{}),
	}, map[string]int{}

	te.send("anna", "say hello to bob")
	sent, held := te.chat(logs, seen)
	if h := held.Hold; h == nil || h.Code != parley.HoldConversation || h.Reason != string(conversation.PairSpent) ||
		h.Until == nil {
		t.Errorf("after %d messages the hold is %+v", sent, held.Hold)
	}

	if sent > 10 {
		t.Errorf("they exchanged %d messages before one was held", sent)
	}

	for _, part := range []string{"Ask a person", "It passes at "} {
		if !strings.Contains(held.Reason, part) {
			t.Errorf("the reason is %q, want %q in it", held.Reason, part)
		}
	}

	id := held.MessageID

	// The stop is visible: in the conversation, to the operator, and in the story.
	state, err := op.GetConversationState.Call(te.operator(), te, parley.ConversationStateRequest{With: "anna,bob"})
	if err != nil || len(state.Held) != 1 || state.Held[0].MessageID != id || state.Temperature < 0.4 ||
		len(state.Decisions) != 2 {
		t.Errorf("the conversation is %+v, %v", state, err)
	}

	if text := te.story(id); !strings.Contains(text, "parley conversation release "+id[:8]) {
		t.Errorf("the story is\n%s", text)
	}
	if n := te.need(parley.NeedHeld); !strings.Contains(n.Action, "parley conversation release") {
		t.Errorf("the operator needs to %+v", n)
	}

	before := len(tmuxtest.Messages(t, logs["anna"])) + len(tmuxtest.Messages(t, logs["bob"]))

	// A restart changes nothing.
	te.restart()
	if d := te.delivery(id); d.State != parley.DeliveryHeld || d.Hold == nil {
		t.Errorf("after a restart the delivery is %s (%s)", d.State, d.Reason)
	}
	if now := len(tmuxtest.Messages(t, logs["anna"])) + len(tmuxtest.Messages(t, logs["bob"])); now != before {
		t.Errorf("%d messages were typed while one was held", now-before)
	}

	// A release lets them go on, and the budgets stop them again.
	res, err := op.ControlConversation.Call(te.operator(), te,
		parley.ControlConversationRequest{Action: parley.ActionRelease, With: "bob,anna"})
	if err != nil || len(res.Released) != 1 || res.Released[0] != id || res.Held != 0 {
		t.Fatalf("the release said %+v, %v", res, err)
	}

	te.reach(id, parley.DeliveryRead)
	if more, again := te.chat(logs, seen); more > 10 || again.Hold == nil {
		t.Errorf("after the release they exchanged %d messages, and then the hold is %+v", more, again.Hold)
	}
}

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
