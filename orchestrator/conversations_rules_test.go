package orchestrator

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/conversation"
	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux/tmuxtest"
)

// newLateTeam returns a team with a clock that the test moves.
func newLateTeam(t testing.TB) (*testTeam, *clock) {
	c := new(clock)
	return newTeam(t, c.option), c
}

func TestAReviewOfFiveRoundsIsNeverHeld(t *testing.T) {
	t.Parallel()
	te, clock := newLateTeam(t)
	te.launch("coder", "instant", tmuxtest.Agent{})
	te.launch("reviewer", "instant", tmuxtest.Agent{})
	te.arrived(te.send("coder", "have the parser reviewed"))
	for round := range 5 {
		for _, way := range [][2]string{{"coder", "reviewer"}, {"reviewer", "coder"}} {
			clock.pass(15 * time.Second)
			d := te.says(way[0], way[1], fmt.Sprintf("round %d: line 12 still leaks", round))
			te.arrived(d.MessageID)
		}
	}
}

func TestMessagesOverTheRateAreReleasedInOrder(t *testing.T) {
	t.Parallel()
	te, clock := newLateTeam(t)
	log := te.launch("bob", "instant", tmuxtest.Agent{})
	te.launch("anna", "instant", tmuxtest.Agent{})
	te.send("anna", "talk to bob")
	var held []parley.Delivery
	for i := range 13 {
		if d := te.says("anna", "bob", fmt.Sprintf("thing %d", i)); d.State == parley.DeliveryHeld {
			held = append(held, d)
		}
	}

	if len(held) != 3 || held[0].Hold.Reason != string(conversation.PairSpent) || held[0].Hold.Until == nil {
		t.Fatalf("held are %+v, want the last 3 of 13 by the pair's budget of a minute", held)
	}

	clock.pass(2 * time.Minute)
	typed := tmuxtest.WaitMessages(t, log, 13)
	for i, m := range typed {
		if !strings.Contains(m.Text, fmt.Sprintf("thing %d (", i)) {
			t.Errorf("message %d is %q", i, m.Text)
		}
	}
}

func TestAnswerFromAPersonContinuesAChain(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.ChainHops = 1 })
	te.launch("anna", "instant", tmuxtest.Agent{})
	te.launch("bob", "instant", tmuxtest.Agent{})
	te.arrived(te.says("anna", "bob", "one").MessageID)
	held := te.says("bob", "anna", "two")
	if held.Hold == nil || held.Hold.Reason != string(conversation.ChainSpent) || held.Hold.Until != nil {
		t.Fatalf("the second hop's hold is %+v", held.Hold)
	}

	asked, err := op.SendMessage.Call(te.agent("bob"), te,
		parley.SendMessageRequest{To: parley.Names{"operator"}, Text: "may I?"})
	if err != nil || asked.Deliveries[0].State != parley.DeliverySubmitted {
		t.Fatalf("a question to a person: %+v, %v", asked, err)
	}

	te.send("bob", "this begins anew, and answers nothing")
	if d := te.delivery(held.MessageID); d.Hold == nil {
		t.Errorf("a word that answers nothing renewed the chain: %s", d.State)
	}
	must.Have(op.RespondToMessage.Call(te.operator(), te, parley.RespondToMessageRequest{MessageID: asked.MessageID,
		Text: "do"}))(t)

	te.arrived(held.MessageID)
}

func TestAnswerToANoticeContinuesTheTurn(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.ChainHops = 1 })
	te.launch("anna", "instant", tmuxtest.Agent{})
	te.launch("bob", "instant", tmuxtest.Agent{})
	te.arrived(te.says("anna", "bob", "one").MessageID)
	bob := te.roster.ByName("bob")
	must.Do(t, te.admission.Notify(t.Context(), []*team.Member{bob}, "your answer is due", nil, "key"))

	inbox := must.Have(te.store.Inbox.Page(t.Context(), store.InboxQuery{RecipientID: bob.ID, Limit: 1}))(t)
	res := te.sends(te.agent("bob"), parley.SendMessageRequest{
		To: parley.Names{"anna"}, Text: "two", InReplyTo: inbox.Items[0].Message.ID,
	})
	if h := res.Deliveries[0].Hold; h == nil || h.Reason != string(conversation.ChainSpent) {
		t.Errorf("the second hop's hold is %+v (%s)", h, res.Deliveries[0].State)
	}
}

func TestMessagesToMailboxesAndPeopleAreNeverHeld(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) {
		o.Settings.Conversation = conversation.Settings{ChainHops: 1, PairMinute: 1, PairTenMinutes: 1, CycleRounds: 1}
	})

	te.as("mailbox")
	te.launch("anna", "instant", tmuxtest.Agent{})
	for _, to := range []string{"mailbox", "operator"} {
		for range 5 {
			if d := te.says("anna", to, "x"); d.State != parley.DeliverySubmitted {
				t.Errorf("a message to %s is %s (%s)", to, d.State, d.Reason)
			}
		}
	}

	for i := range 5 {
		if d := te.says("mailbox", "anna", "y"); (d.Hold != nil) != (i >= 0) {
			t.Errorf("message %d of a mailbox that was spoken to beyond its budgets is %s", i, d.State)
		}
	}
}

// post posts to a thread as an agent, and returns the delivery to another.
func (te *testTeam) post(ctx context.Context, thread, text, to string, require bool) parley.Delivery {
	te.t.Helper()
	res, err := op.SendMessage.Call(ctx, te, parley.SendMessageRequest{ThreadID: thread, Text: text,
		RequiresResponse: require})
	if err != nil {
		te.t.Fatalf("post %q: %v", text, err)
	}
	for _, d := range res.Deliveries {
		if d.Recipient == to {
			return d
		}
	}
	te.t.Fatalf("the post went to %+v, not to %s", res.Deliveries, to)
	return parley.Delivery{}
}

func TestThreadPostsAreJudgedByTheRules(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "instant", tmuxtest.Agent{})
	te.launch("tester", "instant", tmuxtest.Agent{})
	opened := must.Have(op.CreateThread.Call(te.operator(), te,
		parley.CreateThreadRequest{Title: "parser", Participants: parley.Names{"coder", "tester"}}))(t)

	thread, tester := opened.Thread.ID, te.agent("tester")
	te.arrived(te.post(tester, thread, "@coder look at line 12", "coder", false).MessageID)
	te.arrived(te.post(tester, thread, "answer me by the clock", "coder", true).MessageID)
	te.post(te.agent("coder"), thread, "@tester I do", "tester", false)
	wantHold := func(d parley.Delivery, reason conversation.Reason) {
		t.Helper()
		if d.Hold == nil || d.Hold.Reason != string(reason) {
			t.Errorf("the hold is %+v (%s), want %s", d.Hold, d.State, reason)
		}
	}

	// No person has written, and four posts came within a minute: the outcome of the draw does not matter.
	te.post(te.agent("coder"), thread, "@tester it is done", "tester", false)
	held := te.post(tester, thread, "well", "coder", false)
	wantHold(held, conversation.HumansDisengaged)
	state, err := op.GetConversationState.Call(te.agent("coder"), te, parley.ConversationStateRequest{ThreadID: thread})
	if err != nil || state.ShouldRespond || state.Reason != "humans-disengaged" || state.Factors == nil ||
		state.Counts.FiveMinutes != 5 ||
		state.State == "cold" {
		t.Errorf("the state is %+v, %v", state, err)
	}

	if got, err := op.CheckInbox.Call(te.agent("coder"), te, parley.CheckInboxRequest{}); err != nil ||
		got.Messages[0].Content != "well" {
		t.Errorf("the inbox has %+v, %v: what is held from the terminal must be there", got, err)
	}

	do := func(action parley.ConversationAction) *parley.ControlConversationResult {
		t.Helper()
		res, err := op.ControlConversation.Call(te.operator(), te,
			parley.ControlConversationRequest{Action: action, ThreadID: thread})
		if err != nil {
			t.Fatalf("%s: %v", action, err)
		}

		return res
	}

	if res := do(parley.ActionRelease); len(res.Released) != 1 {
		t.Errorf("the release said %+v", res)
	}

	te.arrived(held.MessageID)

	do(parley.ActionMute)
	muted := te.post(tester, thread, "@coder again", "coder", true)
	wantHold(muted, conversation.MutedByOperator)
	te.close() // a mute survives a restart
	te.open()
	wantHold(te.post(te.agent("tester"), thread, "@coder and again", "coder", false), conversation.MutedByOperator)
	if res := do(parley.ActionRelease); len(res.Released) != 0 || res.Held != 2 {
		t.Errorf("a release of a muted thread said %+v", res)
	}

	do(parley.ActionUnmute)
	te.arrived(muted.MessageID)

	do(parley.ActionCool)
	cooled := te.post(te.agent("tester"), thread, "@coder once more", "coder", false)
	wantHold(cooled, conversation.CooledDown)
	if cooled.Hold.Until == nil {
		t.Error("nobody knows until when it is cooled")
	}

	te.post(te.operator(), thread, "go on", "coder", false)
	te.arrived(cooled.MessageID)
}

func TestThreadSettingsSurviveARestart(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "instant", tmuxtest.Agent{})
	te.launch("tester", "instant", tmuxtest.Agent{})
	opened := must.Have(op.CreateThread.Call(te.operator(), te,
		parley.CreateThreadRequest{Title: "parser", Participants: parley.Names{"coder", "tester"}}))(t)

	off := true
	te.control(parley.ControlConversationRequest{Action: parley.ActionSet, ThreadID: opened.Thread.ID, Off: &off})

	te.restart()
	for i := range 15 {
		if d := te.post(te.agent("tester"), opened.Thread.ID, "thanks everyone", "coder", false); d.Hold != nil {
			t.Fatalf("post %d is held (%s) where the protocol is off", i, d.Reason)
		}
	}

	state, err := op.GetConversationState.Call(te.operator(), te,
		parley.ConversationStateRequest{ThreadID: opened.Thread.ID})
	if err != nil || !state.Conversation.Settings.Off {
		t.Errorf("the settings are %+v, %v", state.Conversation.Settings, err)
	}
}

func TestHeldPostsOfThreadsSurviveARestart(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(te *testTeam, thread string){
		"muted": func(te *testTeam, thread string) {
			te.control(parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: thread})
		},
		"cooled": func(te *testTeam, thread string) {
			te.control(parley.ControlConversationRequest{Action: parley.ActionCool, ThreadID: thread})
		},
		"a budget of its own": func(te *testTeam, thread string) {
			te.control(parley.ControlConversationRequest{Action: parley.ActionSet, ThreadID: thread, PairMinute: 1})
			te.post(te.agent("tester"), thread, "@coder first", "coder", false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			te, _ := newLateTeam(t)
			te.launch("coder", "instant", tmuxtest.Agent{})
			te.launch("tester", "instant", tmuxtest.Agent{})
			opened := must.Have(op.CreateThread.Call(te.operator(), te,
				parley.CreateThreadRequest{Title: "parser", Participants: parley.Names{"coder", "tester"}}))(t)
			begin(te, opened.Thread.ID)
			before := te.post(te.agent("tester"), opened.Thread.ID, "@coder and now?", "coder", false)

			te.restart()
			te.services.conversations.RecheckHolds(t.Context())
			after := te.deliveryTo(before.MessageID, "coder")
			if before.Hold == nil || after.Hold == nil || before.Hold.Reason != after.Hold.Reason {
				t.Errorf("the hold is %+v, and after a restart %+v (%s)", before.Hold, after.Hold, after.State)
			}
		})
	}
}

// An agent that only looks has not got what it sees: what is held is still typed later.
func TestLookAtAHeldMessageLeavesItHeld(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "instant", tmuxtest.Agent{})
	te.launch("tester", "instant", tmuxtest.Agent{})
	opened := must.Have(op.CreateThread.Call(te.operator(), te,
		parley.CreateThreadRequest{Title: "parser", Participants: parley.Names{"coder", "tester"}}))(t)
	te.control(parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: opened.Thread.ID})
	id := te.post(te.agent("tester"), opened.Thread.ID, "@coder and now?", "coder", false).MessageID

	mark := false
	for _, where := range []string{"", opened.Thread.ID} {
		req := parley.GetMessagesRequest{ThreadID: where, MarkRead: &mark}
		must.Do(t, req.Validate())
		got := must.Have(op.GetMessages.Call(te.agent("coder"), te, req))(t)
		if d := te.deliveryTo(id, "coder"); len(got.Messages) == 0 || d.State != parley.DeliveryHeld {
			t.Errorf("after a look at %d messages (thread %q) it is %s", len(got.Messages), where, d.State)
		}
	}
}

func TestMailboxBeyondABudgetIsSeenBySenderAndOperator(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.PairMinute = 2 })
	ann, bob := te.as("ann"), te.as("bob")
	send := func(from context.Context, to string) *parley.SendMessageResult {
		t.Helper()
		res := te.sends(from, parley.SendMessageRequest{To: parley.Names{to}, Text: "thank you"})
		return res
	}

	for _, from := range []struct {
		ctx context.Context
		to  string
	}{{ann, "bob"}, {ann, "bob"}, {bob, "ann"}, {ann, "bob"}} {
		if res := send(from.ctx, from.to); len(res.DeliveryStatus.Warnings) != 0 {
			t.Errorf("within the budget the sender is told %q", res.DeliveryStatus.Warnings)
		}
	}

	send(bob, "ann")
	last := send(ann, "bob")
	d := last.Deliveries[0]
	warning := last.DeliveryStatus.Warnings[d.RecipientID]
	if !last.Success || d.State != parley.DeliverySubmitted ||
		!strings.Contains(warning, "too many messages (2 at most)") {
		t.Errorf("the message is %s, and its sender is told %q", d.State, warning)
	}

	te.restart()
	if n := te.needs(""); len(n) != 2 || n[1].Kind != parley.NeedHeld || n[1].MessageID != last.MessageID ||
		!strings.Contains(n[1].Text, "a message from ann to the mailbox bob went beyond a budget") {
		t.Errorf("after a restart the operator needs to %+v", n)
	}

	res, err := op.ControlConversation.Call(te.operator(), te,
		parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: last.MessageID})
	if err != nil || len(te.needs("")) != 0 {
		t.Errorf("after a release (%+v, %v) the operator needs to %+v", res, err, te.needs(""))
	}
	if res := send(ann, "bob"); len(res.DeliveryStatus.Warnings) != 0 {
		t.Errorf("after a release the sender is told %q", res.DeliveryStatus.Warnings)
	}
}

// A request that is settled ends the chain of two mailboxes, also for the next daemon.
func TestSettledRequestsBetweenMailboxesNeverRunOut(t *testing.T) {
	t.Parallel()
	for name, settles := range map[string]bool{
		"completed": true, "unable": true, "": true, "ignored": true, "partial": false,
	} {
		te := newTeam(t, func(o *Options) {
			o.Settings.Conversation = conversation.Settings{ChainHops: 4, PairMinute: 100, RefuseMailboxes: true}
		})
		te.as("ann")
		te.as("bob")

		var err error
		exchanges := 0
		for ; exchanges < 8 && err == nil; exchanges++ {
			if exchanges == 4 {
				te.restart()
			}
			var res *parley.SendMessageResult
			if res, err = op.SendMessage.Call(te.agent("ann"), te, parley.SendMessageRequest{
				To: parley.Names{"bob"}, Text: "and this?", RequiresResponse: true,
			}); err != nil {
				break
			}

			if name == "ignored" {
				te.says("bob", "ann", "what is it about?")
				_, err = op.IgnoreMessage.Call(te.agent("bob"), te,
					parley.IgnoreMessageRequest{MessageID: res.MessageID})
				continue
			}
			_, err = op.RespondToMessage.Call(te.agent("bob"), te, parley.RespondToMessageRequest{
				MessageID: res.MessageID, Text: "so", Status: parley.ResponseStatus(name),
			})
		}

		if held := parley.ErrorCode(err) == parley.ConversationHeld; held == settles || err != nil && !held {
			t.Errorf("%q: after %d exchanges: %v", name, exchanges, err)
		}
	}
}

func TestMailboxBeyondABudgetIsRefusedIfTheSettingsSaySo(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) {
		o.Settings.Conversation = conversation.Settings{PairMinute: 1, RefuseMailboxes: true}
	})

	ann := te.as("ann")
	te.as("bob")
	for _, from := range []string{"ann", "bob"} {
		to := map[string]string{"ann": "bob", "bob": "ann"}[from]
		if d := te.says(from, to, "thank you"); d.State != parley.DeliverySubmitted {
			t.Fatalf("the message from %s is %s (%s)", from, d.State, d.Reason)
		}
	}

	res, err := op.SendMessage.Call(ann, te, parley.SendMessageRequest{To: parley.Names{"bob"}, Text: "thank you too"})
	if why := parley.AsError(err); parley.ErrorCode(err) != parley.ConversationHeld ||
		!strings.Contains(why.Action, "parley conversation release ann bob") ||
		!strings.Contains(why.Action, "refuse_mailboxes: false") {
		t.Fatalf("the answer to an answer is answered by %+v, %v", res, err)
	}

	if n := te.need(parley.NeedHeld); !strings.Contains(n.Text, "(1 refused)") {
		t.Errorf("the operator needs to %+v", n)
	}

	inbox, err := op.CheckInbox.Call(te.agent("bob"), te, parley.CheckInboxRequest{})
	if err != nil || len(inbox.Messages) != 1 {
		t.Errorf("the mailbox has %+v, %v", inbox, err)
	}

	// A person's message always passes.
	te.reach(te.send("bob", "enough"), parley.DeliverySubmitted)
	if d := te.says("ann", "bob", "and now"); d.State != parley.DeliverySubmitted {
		t.Errorf("after a person's message one is %s (%s)", d.State, d.Reason)
	}
}
