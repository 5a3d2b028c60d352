package tui

import (
	"testing"

	"parley"
	"parley/tui/room"
)

func TestShowsThatMessagesArePaused(t *testing.T) {
	s, f := newBusyScreen(t, 80, 24)
	s.hides("paused")
	f.paused = &parley.Pause{By: "operator", Since: noon}
	f.emit(parley.Event{Type: parley.EventCommunication, State: "paused"})
	s.news()
	s.shows("‖ paused by operator")
	s.fits("the pause")
	f.paused = nil
	f.emit(parley.Event{Type: parley.EventCommunication, State: "resumed"})
	s.news()
	s.hides("paused")
}

func TestShowsNeeds(t *testing.T) {
	s, f := newBusyScreen(t, 100, 40)
	s.shows("! 3 need you", "4 Needs you 3")
	s.send(room.TickMsg(noon))
	s.send(room.TickMsg(noon))
	if f.asked != 1 {
		t.Errorf("asked %d times for what nobody looks at, want once for its count", f.asked)
	}

	s.press("4")
	s.shows("▸ ∅ lost", "✗ exited      planner", "enter restart · x stop", "in a shell: parley restart scout",
		"✉ for you     reviewer")

	s.hides("Looking")
	s.press("j")
	s.shows("│ panic: runtime error")

	// The open page follows what happens, and the marker stays where it was.
	f.needs = f.needs[:2]
	f.need(parley.NeedDialog, "\x1b[31mcoder\u202e", "a dialog \x1b[2Jis open", "parley attach coder",
		"Answer it there.", "  ❯ 1. Yes\x1b[K")

	f.emit(parley.Event{Type: parley.EventAgent, AgentID: agentID("coder"), Agent: "coder", State: "waiting"})
	s.news()
	s.shows("◆ dialog  [31mcoder", "▸ ✗ exited")
	s.press("g")
	s.shows("│   ❯ 1. Yes")
	s.hides("\x1b[2J", "�")
	f.needs, f.letters, f.agents = nil, nil, f.agents[:2]
	s.send(room.TickMsg(noon))
	s.shows("Nothing needs you.")
	s.press("1")
	s.hides("Nothing needs you.", "need you", "Needs you 1")
	f.need(parley.NeedBlocked, "coder", "usage limit", "parley attach coder", "See there.")
	s.send(room.TickMsg(noon))
	s.shows("! 1 needs you", "Needs you 1")
}

func TestNeedsShowWhyTheyCannotBeRead(t *testing.T) {
	s, f := newBusyScreen(t, 80, 24)
	f.err = parley.Errorf(parley.Internal, "the database cannot be read").Suggest("Look into the log.")
	s.press("4")
	s.shows("the database cannot be read", "Look into the log.")
	f.err = nil
	s.send(room.TickMsg(noon))
	s.shows("∅ lost        scout")
}

// Each kind of need has its own way to be helped, and to be let be.
func TestEachNeedHasItsActions(t *testing.T) {
	const asked = "5f0c0002-1111-4111-8111-111111111111"
	for _, c := range []struct {
		kind  parley.NeedKind
		keys  []string
		shows string // what the screen then says
		did   string
	}{
		{parley.NeedDialog, []string{"enter"}, "Back from coder.", ""},
		{parley.NeedStuck, []string{"enter"}, "Back from coder.", ""},
		{parley.NeedStuck, []string{"x"}, "It disappears once the cause is gone.", ""},
		{parley.NeedExited, []string{"enter"}, "coder restarted.", "restart " + agentID("coder")},
		{parley.NeedLost, []string{"T"}, "coder restarted.", "restart " + agentID("coder")},
		{parley.NeedLost, []string{"x", "y"}, "coder stopped.", "stop " + agentID("coder")},
		{parley.NeedUnconfirmed, []string{"T"}, "It is typed again", "retry " + asked + " " + agentID("coder")},
		{parley.NeedUnconfirmed, []string{"x"}, "Dismissed; retrying brings it back.", "dismiss " + asked},
		{parley.NeedOverdue, []string{"enter"}, "Reminded coder.", "steer REMINDER Please answer message 5f0c0002."},
		{parley.NeedRefused, []string{"enter", "y"}, "coder started afresh.", "restart " + agentID("coder")},
		{parley.NeedUnanswered, []string{"enter"}, "It is typed again", "retry " + asked + " " + agentID("coder")},
		{parley.NeedOwesAnswer, []string{"x"}, "Dismissed", "dismiss " + asked},
		{parley.NeedUntried, []string{"enter"}, "is being checked", "check " + agentID("coder")},
		{parley.NeedUntried, []string{"x"}, "Dismissed, for this version.", "dismiss untried"},
		{parley.NeedMisread, []string{"enter"}, "is being checked", "check " + agentID("coder")},
		{parley.NeedMisread, []string{"x"}, "Dismissed, for this version.", "dismiss misread"},
		{parley.NeedNewcomer, []string{"enter"}, "Let coder take part?", ""},
		{parley.NeedNewcomer, []string{"enter", "y"}, "It is decided.", agentID("coder") + " true"},
		{parley.NeedNewcomer, []string{"x", "y"}, "It is decided.", agentID("coder") + " false"},
		{parley.NeedApproval, []string{"enter"}, "Make coder a special agent?", ""},
		{parley.NeedApproval, []string{"enter", "y"}, "It is decided. u declines it instead.",
			agentID("coder") + " true"},
		{parley.NeedApproval, []string{"x"}, "It is decided. u approves it instead.", agentID("coder") + " false"},
	} {
		t.Run(string(c.kind)+" "+c.keys[0], func(t *testing.T) {
			f := busyTeam()
			f.needs, f.letters = nil, nil
			f.need(c.kind, "coder", "so it is", "parley attach coder", "Do something.")
			f.needs[0].MessageID = asked
			f.agents = f.agents[:1]
			s := newScreen(t, f, 120, 30)
			s.press("4")
			s.press(c.keys...)
			s.shows(c.shows)
			s.did(c.did)
		})
	}
}

func TestNeedsOfferNoMissingTerminal(t *testing.T) {
	f := busyTeam()
	f.needs = nil
	for i := range f.agents {
		if f.agents[i].Name == "reviewer" {
			f.agents[i].Kind = parley.KindMailbox
		}
	}
	s := newScreen(t, f, 120, 30)
	s.press("4")
	s.shows("enter reply")
	s.hides("· a attach")
}

func TestDraftIsDiscardedOnlyAfterConfirmation(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.press("b")
	s.typed("hello")
	s.press("esc", "4", "G", "x")
	s.shows("Discard this draft?")
	s.press("4")
	s.shows("✎ unsent")
	s.press("x", "y")
	s.hides("✎ unsent")
}

// What waits behind a draft is looked at again; what agents said too much goes on
// or is muted.
func TestHeldMessagesAreReleasedOrMuted(t *testing.T) {
	f := busyTeam()
	f.needs, f.letters = nil, nil
	f.need(parley.NeedDraft, "tester", "an unsent draft stands in its composer; a message waits for it",
		"parley attach tester", "Send it or clear it.")

	f.need(parley.NeedHeld, "tester", "1 held between coder and tester: they said 12 in a minute",
		"parley conversation show coder tester", "See what they talk about.")

	f.needs[1].MessageID = "5f0c0005-1111-4111-8111-111111111111"
	mute := func(action string) parley.ActCalls {
		return parley.Calls(action+" them", "control_conversation",
			map[string]any{"action": action, "with": agentID("coder") + "," + agentID("tester")}, "")
	}
	unmute := mute("unmute")
	unmute.Words = "undoes it"
	f.needs[1].Acts = []parley.Act{{Key: parley.ActDismiss, ActCalls: mute("mute"), Undo: &unmute}}
	for i := range f.agents {
		if f.agents[i].Name == "tester" {
			f.agents[i].HeldMessage = "5f0c0005-1111-4111-8111-111111111111"
		}
	}

	s := newScreen(t, f, 120, 30)
	s.press("4")
	s.shows("✎ draft", "T check again", "looking into it now")
	s.press("T", "j")
	s.shows("enter release · x mute them · a attach")
	s.press("enter", "x")
	s.shows("u undoes it.")
	s.press("u")
	const id = "5f0c0005-1111-4111-8111-111111111111"
	pair := agentID("coder") + "," + agentID("tester")
	s.did("retry " + id + " " + agentID("tester") + ", release " + id + ", mute " + pair + ", unmute " + pair)
}

// What no person has typed is overruled by its exact text, and only after a question that shows it.
func TestADraftIsOverruledAfterAQuestion(t *testing.T) {
	f := busyTeam()
	f.needs, f.letters = nil, nil
	f.need(parley.NeedDraft, "tester", "an unsent draft stands in its composer; a message waits for it",
		"parley attach tester", "Send it or clear it.")
	for i := range f.agents {
		if f.agents[i].Name == "tester" {
			f.agents[i].HeldMessage = "5f0c0005-1111-4111-8111-111111111111"
		}
	}
	s := newScreen(t, f, 120, 30)
	s.press("4", "x")
	s.shows("It disappears once the cause is gone.") // what stands there is not known

	f.needs[0].Draft = `Try "fix the tests"`
	s.send(room.TickMsg(noon))
	s.press("x")
	s.shows(`Nobody has typed “Try "fix the tests"”?`)
	s.press("n")
	s.did("")
	s.press("x", "y")
	s.did("retry 5f0c0005-1111-4111-8111-111111111111 " + agentID("tester") + ` Try "fix the tests"`)
}

// The columns before the text are no wider than what is in them.
func TestNeedsGiveTheirTextTheRoom(t *testing.T) {
	f := newFake()
	f.agent("ops", parley.StateExited, 0, 0, "")
	f.need(parley.NeedExited, "ops", "its program ended with status 0, and said good-bye", "", "")
	s := newScreen(t, f, 132, 30)
	s.press("4")
	s.shows("exited ops   4m   its program ended with status 0, and s")
}

// writes gives the operator one unread message, of coder, in place of all others.
func (f *fakeService) writes(text string) {
	f.letters = []parley.InboxMessage{{MessageID: "5f0c00ff-1111-4111-8111-111111111111", Sender: "coder",
		Content: text, Timestamp: noon}}
	f.emit(parley.Event{Type: parley.EventDirectMessage, Time: noon, MessageID: f.letters[0].MessageID, Sender: "coder",
		SenderID: idOf("coder"), Recipient: parley.OperatorName, RecipientID: operatorID, Preview: text})
}

func TestAnotherMessageWithTheSameCountIsShownAndRings(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40, func(o *Options) { o.Notify.Bell = true })
	s.press("4")
	s.shows("Shall I approve")
	s.rang = nil
	f.writes("The disk is full")
	s.news()
	s.send(room.TickMsg(noon))
	s.shows("The disk is full")
	if len(s.rang) == 0 {
		t.Error("it did not ring")
	}
}

func TestAMessageThatComesAsOneIsMarkedReadIsShown(t *testing.T) {
	f := busyTeam()
	f.threads[0].ParticipantNames = append(f.threads[0].ParticipantNames, parley.OperatorName)
	f.letters = []parley.InboxMessage{{MessageID: f.posts[3].MessageID, Sender: "tester", ThreadID: f.threads[0].ID,
		Content: "Then twelve of the golden files change.", Timestamp: noon}}
	s := newScreen(t, f, 120, 40)
	s.press("3")
	s.blind = true
	s.press("enter") // its posts are read
	s.blind = false
	f.writes("The disk is full")
	s.news()
	s.send(room.TickMsg(noon))
	s.press("4")
	s.shows("The disk is full")
}

func TestAKeyForARowThatHasJustGoneDoesNothing(t *testing.T) {
	f := busyTeam()
	f.needs, f.letters = nil, nil
	f.agents[len(f.agents)-1].Unread = 0
	f.need(parley.NeedUnconfirmed, "planner", "whether it arrived is not known", "", "")
	f.needs[0].MessageID = "5f0c0006-1111-4111-8111-111111111111"
	f.need(parley.NeedHeld, "coder", "a budget holds it", "", "")
	f.needs[1].MessageID = "5f0c0005-1111-4111-8111-111111111111"
	s := newScreen(t, f, 120, 40)
	s.press("4")
	f.needs = f.needs[1:]
	s.send(room.TickMsg(noon)) // it was proven meanwhile; the list changes as the finger goes down
	s.press("enter")
	s.did("")
}

func TestAKeyAfterOnesOwnActionCounts(t *testing.T) {
	f := busyTeam()
	f.needs, f.letters = nil, nil
	f.agents[len(f.agents)-1].Unread = 0
	for i, id := range []string{"5f0c0005-1111-4111-8111-111111111111", "5f0c0006-1111-4111-8111-111111111111"} {
		f.need(parley.NeedHeld, "coder", "a budget holds it", "", "")
		f.needs[i].MessageID = id
	}

	s := newScreen(t, f, 120, 40)
	s.press("4", "enter")
	f.needs = f.needs[1:]
	s.send(room.TickMsg(noon))
	s.press("enter")
	s.did("release 5f0c0005-1111-4111-8111-111111111111, release 5f0c0006-1111-4111-8111-111111111111")
}
