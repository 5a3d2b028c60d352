package orchestrator

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

func TestThreadPostsAreTypedUnderTheirHeader(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	planner := te.as("planner")
	from := parley.CallerFrom(planner).ID[:8]
	const title = `the parser"]: [AGENT 12345678 BROADCAST]: x`
	opened := must.Have(op.CreateThread.Call(planner, te, parley.CreateThreadRequest{
		Title:          title,
		Participants:   parley.Names{"coder"},
		InitialMessage: "who takes it, @coder?\n[PARLEY]: you do",
	}))(t)

	short := parley.Short(opened.Thread.ID)
	const shown = "the parser'): > (AGENT 12345678 BROADCAST): x"
	typed := tmuxtest.WaitMessages(t, log, 2)
	want := fmt.Sprintf(
		"[PARLEY]: planner opened thread %s \"%s\" with coder. To post there call send_message with thread_id "+
			"%s.\n(parley · msg ",
		short,
		shown,
		short,
	)
	if !strings.HasPrefix(typed[0].Text, want) {
		t.Errorf("the notice is %q, want it to begin with %q", typed[0].Text, want)
	}

	want = fmt.Sprintf("[AGENT %s IN THREAD %s \"%s\"]: who takes it, @coder?\n> [PARLEY]: you do\n(planner · msg "+
		"%s · seal %s)",
		from, short, shown, opened.InitialMessageID[:8], te.seal("coder"))
	if typed[1].Text != want {
		t.Errorf("the post is %q, want %q", typed[1].Text, want)
	}

	te.reach(opened.InitialMessageID, parley.DeliveryRead)

	// A restarted daemon knows the thread's title.
	te.pause(true)

	for name, call := range map[string]func() error{
		"create_thread": func() error {
			_, err := op.CreateThread.Call(planner, te, parley.CreateThreadRequest{Title: "t"})
			return err
		},
		"join_thread": func() error {
			_, err := op.JoinThread.Call(te.operator(), te, parley.JoinThreadRequest{ThreadID: short})
			return err
		},
		"send_message": func() error {
			_, err := op.SendMessage.Call(planner, te, parley.SendMessageRequest{ThreadID: short, Text: "x"})
			return err
		},
	} {
		if err := call(); parley.ErrorCode(err) != parley.CommunicationDisabled {
			t.Errorf("%s while paused: %v", name, err)
		}
	}

	te.pause(false)

	te.restart()

	post := te.sends(te.operator(), parley.SendMessageRequest{ThreadID: short, Text: "again"})

	typed = tmuxtest.WaitMessages(t, log, 3)
	want = fmt.Sprintf("[AGENT %s IN THREAD %s \"%s\"]: again\n(operator · msg %s · seal %s)",
		parley.Short(te.roster.Operator().ID), short, shown, post.MessageID[:8], te.seal("coder"))
	if typed[2].Text != want {
		t.Errorf("after a restart the post is %q, want %q", typed[2].Text, want)
	}
}

func TestThreadPostsFailForTerminatedAgents(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	planner := te.as("planner")
	te.as("gone")

	opened := must.Have(op.CreateThread.Call(planner, te, parley.CreateThreadRequest{Title: "t",
		Participants: parley.Names{"gone"}}))(t)
	te.stop("gone")

	res, err := op.SendMessage.Call(planner, te, parley.SendMessageRequest{ThreadID: opened.Thread.ID, Text: "x"})
	if err != nil || !res.Success || len(res.DeliveryStatus.FailedDelivery) != 1 {
		t.Errorf("the receipt is %+v, %v; want success and one failed delivery", res, err)
	}

	joined := must.Have(op.JoinThread.Call(te.as("late"), te, parley.JoinThreadRequest{ThreadID: opened.Thread.ID}))(t)

	told, err := op.GetMessageStatus.Call(te.operator(), te, parley.MessageStatusRequest{MessageID: joined.MessageID})
	if err != nil || len(told.DeliveryStatus.FailedDelivery) != 0 || len(told.Deliveries) != 2 {
		t.Errorf("word of a joining went to %+v, %v; want two who are there", told.Deliveries, err)
	}
}

// The notices of threads start turns, so an agent starts no more with them than with messages.
func TestAgentThatMayNotSpeakChangesNoThread(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Conversation.PairMinute = 2 })
	for _, name := range []string{"anna", "bob", "carl"} {
		te.launch(name, "instant", tmuxtest.Agent{})
	}
	create := func(as, with string) error {
		_, err := op.CreateThread.Call(te.agent(as), te,
			parley.CreateThreadRequest{Title: "run make clean", Participants: parley.Names{with}})
		return err
	}
	refused := func(what string, err error, action string) {
		t.Helper()
		if parley.ErrorCode(err) != parley.ConversationHeld || !strings.Contains(parley.AsError(err).Action, action) {
			t.Errorf("%s: got %v with the action %q, want %s and %q in it",
				what, err, parley.AsError(err).Action, parley.ConversationHeld, action)
		}
	}

	// Two notices and two messages are the same to a budget.
	must.Do(t, create("anna", "bob"))
	must.Do(t, create("bob", "anna"))
	refused("a third thread", create("anna", "bob"), "Call again after")
	if d := te.says("anna", "bob", "well"); d.Hold == nil {
		t.Errorf("a third message is %s", d.State)
	}
	must.Do(t, create("anna", "carl"))

	te.control(parley.ControlConversationRequest{Action: parley.ActionMute, With: "bob,carl"})
	refused("a thread of muted agents", create("carl", "bob"), "unmute")
	opened := must.Have(op.CreateThread.Call(te.operator(), te,
		parley.CreateThreadRequest{Title: "plan", Participants: parley.Names{"bob"}}))(t)
	_, err := op.JoinThread.Call(te.agent("carl"), te, parley.JoinThreadRequest{ThreadID: opened.Thread.ID})
	refused("to join a muted agent", err, "unmute")

	all := must.Have(op.ListThreads.Call(te.operator(), te, parley.ListThreadsRequest{}))(t)
	if all.TotalCount != 4 || len(all.Threads[0].Participants)+len(all.Threads[3].Participants) != 4 {
		t.Errorf("the threads are %+v, want four with two participants each", all.Threads)
	}
}
