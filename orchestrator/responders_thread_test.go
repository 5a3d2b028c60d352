package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/conversation"
	"parley/tmux/tmuxtest"
)

// room opens a thread of the caller and others, and returns its id.
func (te *testTeam) room(ctx context.Context, others ...string) string {
	te.t.Helper()
	res := must.Have(op.CreateThread.Call(ctx, te, parley.CreateThreadRequest{Title: "the quest",
		Participants: others}))(te.t)
	return res.Thread.ID
}

// postTo posts to a thread and returns the message's id and its delivery to a responder.
func (te *testTeam) postTo(ctx context.Context, thread, text, to string) (string, parley.Delivery) {
	te.t.Helper()
	res, err := op.SendMessage.Call(ctx, te, parley.SendMessageRequest{ThreadID: thread, Text: text})
	if err != nil || res.Reply != nil {
		te.t.Fatalf("%s: %+v, %v", text, res, err)
	}
	return res.MessageID, te.deliveryTo(res.MessageID, to)
}

func (te *testTeam) deliveryTo(id, name string) parley.Delivery {
	te.t.Helper()
	res := must.Have(op.GetMessageStatus.Call(te.operator(), te, parley.MessageStatusRequest{MessageID: id}))(te.t)
	for _, d := range res.Deliveries {
		if d.Recipient == name {
			return d
		}
	}
	te.t.Fatalf("message %s did not go to %s: %+v", id, name, res.Deliveries)
	return parley.Delivery{}
}

// answerOf waits for the answer of a responder to a post.
func (te *testTeam) answerOf(id, name string) parley.Message {
	te.t.Helper()
	var d parley.Delivery
	tmuxtest.Poll(te.t, func() bool { d = te.deliveryTo(id, name); return d.AnsweredBy != "" },
		func() string { return fmt.Sprintf("%s did not answer: %+v", name, d) })
	said, _, err := te.store.Messages.Message(te.t.Context(), d.AnsweredBy)
	if err != nil {
		te.t.Fatal(err)
	}
	return said
}

// quiet waits until no model call is running.
func (te *testTeam) quiet() {
	te.t.Helper()
	tmuxtest.Poll(te.t, func() bool {
		return te.responders.InFlight() == 0
	}, func() string { return "models are asked without end" })
}

func TestResponderSpeaksInAThreadWhenItIsMentioned(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM", "operator")
	te.postTo(ada, thread, "we walk on", "DM")
	te.Orchestrator.opts.Settings.MaxText = 20
	id, d := te.postTo(ada, thread, "@DM where is the key", "DM")
	if d.Decision == nil || !d.Decision.ShouldRespond || d.Decision.Reason != string(conversation.MentionedByAI) ||
		d.Decision.Factors == nil {
		t.Errorf("what was decided is not with the delivery: %+v", d)
	}

	said := te.answerOf(id, "DM")
	if want := "You said: ada: we walk on"; said.Text != want || said.Kind != parley.KindThread ||
		said.ThreadID != thread ||
		said.InReplyTo != id {
		t.Errorf("it said %+v, want %q", said, want)
	}

	first, _, err := te.store.Messages.Message(t.Context(), id)
	if err != nil || said.ChainID != first.ChainID || said.Hop != first.Hop+1 {
		t.Errorf("the post is %s/%d, the answer %s/%d", first.ChainID, first.Hop, said.ChainID, said.Hop)
	}
	if d := te.deliveryTo(said.ID, "ada"); d.State != parley.DeliverySubmitted {
		t.Errorf("the answer is %s for who asked, want it unread in its inbox", d.State)
	}
	if d := te.deliveryTo(id, "DM"); d.State != parley.DeliveryAnswered {
		t.Errorf("the post is %s", d.State)
	}

	te.quiet()
	te.postTo(ada, thread, "@DM SAY go on", "DM")
	te.quiet()
	got := messagesOf(t, s.Requests()[1])
	if !strings.Contains(got[0], "You are the DM.") || !strings.Contains(got[0], `"the quest"`) ||
		!strings.Contains(got[0], "operator (a person)") {
		t.Errorf("the model was briefed so: %s", got[0])
	}

	want := []string{
		"user: ada: we walk on\n\nada: @DM where is the key",
		"assistant: You said: ada: we walk on",
		"user: ada: @DM SAY go on",
	}
	if !slices.Equal(got[1:], want) {
		t.Errorf("the model was told %q, want %q", got[1:], want)
	}
	if sum := te.spent(); sum.Calls != 2 || sum.Answered != 2 {
		t.Errorf("accounted for is %+v", sum)
	}
}

func TestSilenceInAThreadHasItsReason(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	id, d := te.postTo(ada, thread, "unrelated chatter", "DM")
	if d.State != parley.DeliveryRead || d.Decision == nil || d.Decision.ShouldRespond ||
		d.Decision.Reason != string(conversation.NoCompellingReason) ||
		d.Decision.Agent != "DM" {
		t.Errorf("the delivery is %+v", d)
	}

	text := te.story(id)
	if !strings.Contains(text, "DM stays silent (no-compelling-reason)") || !strings.Contains(text, "@DM") {
		t.Errorf("the story is %s", text)
	}

	state, err := op.GetConversationState.Call(te.operator(), te, parley.ConversationStateRequest{ThreadID: thread})
	if err != nil || cmp.Diff([]parley.ConversationDecision{*d.Decision}, state.Decisions) != "" {
		t.Errorf("the conversation's decisions are %+v, %v, want %+v", state.Decisions, err, d.Decision)
	}

	if needs := te.needs(""); len(needs) != 0 || len(s.Requests()) != 0 {
		t.Errorf("needs are %+v; %d requests", needs, len(s.Requests()))
	}
}

func TestResponderOwesWhatAThreadRequires(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	res := te.sends(ada, parley.SendMessageRequest{ThreadID: thread, Text: "SAY done", RequiresResponse: true})
	if said := te.answerOf(res.MessageID, "DM"); !strings.HasPrefix(said.Text, "done") {
		t.Errorf("it said %q", said.Text)
	}

	st, err := op.GetMessageStatus.Call(ada, te, parley.MessageStatusRequest{MessageID: res.MessageID})
	if err != nil || len(st.Responses) != 1 || st.Responses[0].State != parley.ResponseCompleted {
		t.Errorf("what was owed: %+v, %v", st, err)
	}
}

func TestMutedResponderStaysSilentButAnswersPeople(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	te.control(parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: thread})

	if _, d := te.postTo(ada, thread, "@DM SAY no", "DM"); d.Decision == nil ||
		d.Decision.Reason != string(conversation.MutedByOperator) ||
		d.State != parley.DeliveryRead {
		t.Errorf("muted, the delivery is %+v", d)
	}

	id, d := te.postTo(te.operator(), thread, "SAY yes", "DM")
	if said := te.answerOf(id, "DM"); d.Decision.Reason != string(conversation.FromHuman) ||
		!strings.HasPrefix(said.Text, "no") ||
		len(s.Requests()) != 1 {
		t.Errorf("a person's post: %+v, %q; %d requests", d.Decision, said.Text, len(s.Requests()))
	}
}

func TestFailedPostInAThreadWaitsForRetry(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM", "operator")
	id, _ := te.postTo(ada, thread, "@DM FAIL 400 ONCE SAY better late", "DM")
	te.quiet()
	if d := te.deliveryTo(id, "DM"); d.State != parley.DeliverySubmitted || d.ReasonCode != parley.EndedNoAnswer {
		t.Errorf("the delivery is %+v", d)
	}

	if n := te.need(parley.NeedUnanswered); !strings.HasSuffix(n.Command, "--to DM") {
		t.Fatalf("the need is %+v", n)
	}

	res, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id, Recipient: "DM"})
	if err != nil || res.Reply == nil || res.Reply.Text != "better late" {
		t.Fatalf("retry gave %+v, %v", res, err)
	}
	if said := te.answerOf(id, "DM"); said.ThreadID != thread || len(s.Requests()) != 2 {
		t.Errorf("it said %+v after %d requests", said, len(s.Requests()))
	}

	if _, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id,
		Recipient: "DM"}); parley.ErrorCode(err) != parley.AlreadyDelivered {
		t.Errorf("a second retry: %v", err)
	}
}

func TestShutdownLeavesAPostUnanswered(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	id, _ := te.postTo(ada, thread, "@DM PAUSE", "DM")
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 }, func() string { return "the model was not asked" })
	te.restart()
	te.quiet()
	if d := te.deliveryTo(id, "DM"); d.State != parley.DeliverySubmitted || d.AnsweredBy != "" ||
		len(s.Requests()) != 1 {
		t.Errorf("after the restart the delivery is %+v; %d requests", d, len(s.Requests()))
	}

	if n := te.need(parley.NeedUnanswered); n.MessageID != id {
		t.Errorf("the need is %+v", n)
	}
	if res, err := op.GetNeeds.Call(te.operator(), te, parley.GetNeedsRequest{Dismiss: id}); err != nil ||
		res.Dismissed != 1 ||
		len(res.Needs) != 0 {
		t.Errorf("dismissed: %+v, %v", res, err)
	}
}

func TestResponderSpeaksAfterThePauseAndNotInAThreadItHasLeft(t *testing.T) {
	t.Parallel()
	te, s := withModel(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	first, _ := te.postTo(ada, thread, "@DM PAUSE one", "DM")
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 1 }, func() string { return "the model was not asked" })
	must.Have(op.RemoveParticipant.Call(ada, te, parley.RemoveParticipantRequest{ThreadID: thread, Agent: "DM"}))(t)

	s.Release()
	te.quiet()
	if d := te.deliveryTo(first, "DM"); d.AnsweredBy != "" || !strings.Contains(d.Reason, "does not take part") {
		t.Errorf("removed, its delivery is %+v", d)
	}
	must.Have(op.AddParticipant.Call(ada, te, parley.AddParticipantRequest{ThreadID: thread, Agent: "DM"}))(t)

	second, _ := te.postTo(ada, thread, "@DM PAUSE two", "DM")
	tmuxtest.Poll(t, func() bool { return len(s.Requests()) == 2 }, func() string { return "the model was not asked" })
	third, _ := te.postTo(ada, thread, "@DM SAY three", "DM") // waits for the second
	te.pause(true)
	s.Release()
	te.answerOf(second, "DM") // the running answer is posted
	tmuxtest.Poll(t, te.rooms.pause.Awaited, func() string {
		return fmt.Sprintf("nothing waits for the end of the pause; %d requests", len(s.Requests()))
	})

	if n := len(s.Requests()); n != 2 {
		t.Errorf("while paused the model was asked %d times, want 2", n)
	}
	te.pause(false)
	if said := te.answerOf(third, "DM"); said.ThreadID != thread {
		t.Errorf("after the pause it said %+v", said)
	}
}

// withTwo returns a team with two responders and a clock that the test moves.
func withTwo(t *testing.T) (*testTeam, *modelserver.Server, *atomic.Int64) {
	t.Helper()
	var ahead atomic.Int64
	te, s := withModel(t)
	sage := te.opts.Responders[0]
	sage.Name, sage.Description = "sage", "Knows the lore."
	te.close()
	te.opts.Responders = append(te.opts.Responders, sage)
	te.opts.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	te.open()
	return te, s, &ahead
}

// TestTwoRespondersInAThreadComeToAnEnd lets two models answer each other without end, each
// naming the other. They are held, however much time passes, until a person writes.
func TestTwoRespondersInAThreadComeToAnEnd(t *testing.T) {
	t.Parallel()
	te, s, ahead := withTwo(t)
	ada := te.as("ada")
	thread := te.room(ada, "DM", "sage")
	te.postTo(ada, thread, "@DM @sage ECHO @DM @sage and then?", "DM")
	held := func() []parley.HeldTurn {
		t.Helper()
		te.quiet()
		state := must.Have(op.GetConversationState.Call(te.operator(), te,
			parley.ConversationStateRequest{ThreadID: thread}))(t)

		return state.Held
	}

	first := held()
	if n := len(s.Requests()); len(first) == 0 || n < 4 || n > 12 {
		t.Fatalf("after %d requests held are %+v", n, first)
	}

	te.need(parley.NeedHeld)

	// Waiting refills the pair's budget but not the chain's.
	for range 30 {
		if !slices.ContainsFunc(held(), func(h parley.HeldTurn) bool { return h.Until != nil }) {
			break
		}
		ahead.Add(int64(11 * time.Minute))
		te.services.conversations.RecheckHolds(t.Context())
	}

	at := len(s.Requests())
	ahead.Add(int64(time.Hour))
	te.services.conversations.RecheckHolds(t.Context())
	last := held()
	if n := len(s.Requests()); n != at || n > 60 || len(last) == 0 ||
		last[0].Reason != string(conversation.ChainSpent) {
		t.Errorf("they went on from %d to %d requests; held are %+v", at, n, last)
	}

	// A starting daemon asks no model.
	te.restart()
	if again := held(); len(again) != len(last) || len(s.Requests()) != at {
		t.Errorf("after a restart %d are held, not %d; %d requests, not %d", len(again), len(last), len(s.Requests()),
			at)
	}

	// A post of the operator lets one of them go on.
	te.control(parley.ControlConversationRequest{Action: parley.ActionRelease, MessageID: last[0].MessageID})

	te.quiet()
	if len(s.Requests()) == at {
		t.Error("a release asks no model")
	}
}

// TestLongSessionWithAResponderSpendsNoBudget asks a responder thirty times, answering
// its answers, and then goes on working with others, before and after a restart.
func TestLongSessionWithAResponderSpendsNoBudget(t *testing.T) {
	t.Parallel()
	te, _ := withModel(t)
	te.launch("bob", "framed", tmuxtest.Agent{})
	ada := te.as("ada")
	thread := te.room(ada, "DM")
	te.send("ada", "please ask DM about everything, then tell bob")
	last := te.tell(ada, "SAY first").Reply.MessageID
	for i := range 30 {
		res, err := op.RespondToMessage.Call(ada, te,
			parley.RespondToMessageRequest{MessageID: last, Text: fmt.Sprint("SAY answer ", i)})
		if err != nil || res.Reply == nil {
			t.Fatalf("call %d: %+v, %v", i, res, err)
		}

		last = res.Reply.MessageID
	}

	works := func() {
		t.Helper()
		for _, about := range []string{"", last} {
			res, err := op.SendMessage.Call(ada, te,
				parley.SendMessageRequest{To: parley.Names{"bob"}, Text: "DM says so", InReplyTo: about})
			if err != nil || res.Deliveries[0].State == parley.DeliveryHeld ||
				res.Object.Hop > 5 { // answers in the thread count
				t.Errorf("ada to bob, in reply to %q: %+v, hop %d, %v", about, res.Deliveries, res.Object.Hop, err)
			}
		}

		te.tell(ada, "SAY still here")
		id, d := te.postTo(ada, thread, "@DM SAY here too", "DM")
		if d.State == parley.DeliveryHeld {
			t.Fatalf("in a thread: %+v", d)
		}

		te.answerOf(id, "DM")
	}

	works()
	te.restart()
	works()
}
