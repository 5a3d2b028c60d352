package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

func TestShowsTrafficAndAgents(t *testing.T) {
	s := newScreen(t, busyTeam(), 131, 30)
	s.shows("storefront", "1 for you", "? 1 unconfirmed", "‖ 1 held", "○ 4 pending", "● 2 idle", "coder → tester",
		"‖      ! high looking", "✓✓ 3/3 Plan", "› 3/4  !! urgent build is red", "✗ 1    green",
		"reviewer → you")

	s.hides("operator")
	s.press("2")
	s.shows("◐ coder", "1 queued · 2 unread", "held: the pane is in copy mode", "1 overdue · 1 owed",
		"← tester: green again")
}

func TestDeliveryEventsMoveTheRow(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester", "reviewer"}, "hello", "normal", parley.DeliveryQueued)
	s := newScreen(t, f, 120, 30)
	s.shows("○ 2")
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, RecipientID: idOf("tester"), State: "submitted"})
	s.news()
	s.shows("› 1/2")
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, RecipientID: idOf("reviewer"), State: "unconfirmed"})
	s.news()
	s.shows("? 1")
}

func TestOldEventsChangeNothing(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryQueued)
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, RecipientID: idOf("tester"), State: "submitted"})
	s := newScreen(t, f, 120, 30)
	before := s.text()
	s.send(room.FeedMsg{Events: f.events[:2], At: noon})
	if got := s.text(); got != before {
		t.Errorf("events that were seen before changed the screen:\n%s", got)
	}
}

func TestFollowsNewestUntilTheMarkerMoves(t *testing.T) {
	s, f := newBusyScreen(t, 120, 30)
	s.shows("following")
	s.press("k")
	marked := s.m.traffic.Records.Shown.Sel
	f.say(20, "coder", []string{"tester"}, "one more", "normal", parley.DeliveryQueued)
	s.news()
	if s.m.traffic.Records.Shown.Sel != marked {
		t.Error("news took the marker away")
	}

	s.shows("1 new below · F to follow")
	s.press("G")
	if got, want := s.m.traffic.Records.Shown.Sel.Text, "one more"; got != want {
		t.Errorf("G went to %q, want %q", got, want)
	}

	s.shows("following")
}

func TestDetailShowsTheLadderAndFollowsIt(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("k", "k", "k", "k", "k", "enter")
	s.shows("Message 5f0c0005", "tester: held, the pane is in copy mode", "11:48:55.120 +120ms  held",
		"pane_in_mode is 1")

	id := s.m.traffic.Detail.ID
	f.messages[id].Deliveries[0].State = parley.DeliverySubmitted
	f.messages[id].Deliveries[0].Reason = ""
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, RecipientID: idOf("tester"), State: "submitted"})
	s.news()
	s.shows("tester: submitted")
	s.press("k")
	s.shows("Message 5f0c0004")
}

func TestDetailOfAnUnknownMessageSaysWhatToDo(t *testing.T) {
	f := newFake()
	f.emit(parley.Event{
		Type:      parley.EventDirectMessage,
		MessageID: "deadbeef-1",
		Sender:    "a",
		Recipient: "b",
		Preview:   "x",
		Time:      noon,
	})

	s := newScreen(t, f, 120, 40)
	s.press("enter")
	s.shows("✗ no message deadbeef", "Look at the list again.")
}

func TestOpeningMarksTheOperatorsMailRead(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("k", "k", "k", "enter")
	if got, want := strings.Join(f.read, " "), s.m.traffic.Detail.ID; got != want {
		t.Errorf("marked read: %q, want %q", got, want)
	}
	f.read = nil
	s.press("k", "k")
	if len(f.read) > 0 {
		t.Errorf("marked read, though not the operator's: %q", f.read)
	}
}

var errDeadline = context.DeadlineExceeded

func TestStandingSaysWhatMattersMost(t *testing.T) {
	const (
		q, h, ty   = parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping
		su, re     = parley.DeliverySubmitted, parley.DeliveryRead
		fa, un, ex = parley.DeliveryFailed, parley.DeliveryUnconfirmed, parley.DeliveryExpired
	)
	type states = []parley.DeliveryState
	for _, c := range []struct {
		count         int
		states        states
		words, figure string
	}{
		{1, nil, "queued", "○"},
		{3, nil, "3 queued", "○ 3"},
		{1, states{q}, "queued", "○"},
		{1, states{h}, "held", "‖"},
		{1, states{ty}, "typing", "›"},
		{1, states{su}, "submitted", "✓"},
		{1, states{re}, "read", "✓✓"},
		{1, states{un}, "unconfirmed", "?"},
		{1, states{ex}, "expired", "⊘"},
		{3, states{q, q}, "3 queued", "○ 3"},
		{1, states{"strange"}, "strange", "·"},
		{3, states{ty, q, q}, "0/3 submitted", "› 0/3"},
		{3, states{su, re, q}, "2/3 submitted", "› 2/3"},
		{3, states{su, re}, "2/3 submitted", "› 2/3"},
		{3, states{su, re, su}, "3/3 submitted", "✓ 3/3"},
		{3, states{re, re, re}, "3/3 read", "✓✓ 3/3"},
		{3, states{su, h, su}, "1 held", "‖ 1"},
		{3, states{un, h, su}, "1 unconfirmed", "? 1"},
		{3, states{un, fa, fa}, "2 failed", "✗ 2"},
	} {
		r := &team.Row{Count: c.count}
		for i, s := range c.states {
			r.Moved(fmt.Sprint(i), s, "")
		}

		if got := r.Words(); got != c.words {
			t.Errorf("%v of %d: words %q, want %q", c.states, c.count, got, c.words)
		}
		if got := r.Figure(); got != c.figure {
			t.Errorf("%v of %d: figure %q, want %q", c.states, c.count, got, c.figure)
		}
	}
}

// The shapes cover the states that parley knows.
func TestEveryStateHasItsShape(t *testing.T) {
	for _, s := range parley.AgentStates() {
		if got := kit.AgentGlyph(s); (got == "?") != (s == parley.StateUnknown) {
			t.Errorf("the shape of %s is %q", s, got)
		}

		team := team.Roster{List: []parley.AgentStatus{{Agent: parley.Agent{State: s}}}}
		counted := len(team.Summary(kit.ThemeOf(kit.ThemeTerminal, true))) > 0
		if counted != (s != parley.StateTerminated) {
			t.Errorf("%s agents are counted at the top: %v", s, counted)
		}
	}

	for _, s := range parley.DeliveryStates() {
		if kit.DeliveryGlyph(s) == "·" {
			t.Errorf("%s is drawn as %q", s, kit.DeliveryGlyph(s))
		}
	}
}

func TestReasonsAreShownWithoutTheirCodes(t *testing.T) {
	f := busyTeam()
	id := f.say(20, "coder", []string{"tester"}, "thanks", "normal", parley.DeliveryHeld)
	const words = "coder and tester said 12 in a minute"
	d := &f.messages[id].Deliveries[0]
	d.Reason, d.ReasonCode = words, parley.HoldConversation
	f.agents[2].HeldReason, f.agents[2].HeldCode = d.Reason, d.ReasonCode
	s := newScreen(t, f, 120, 40)
	s.press("enter")
	s.shows("tester: held, " + words)
	s.choose("tester")
	s.shows("held: coder and tester said")
	s.hides("CONVERSATION_HELD")
}

// An event has the first characters of a text; a wide list has room for more.
func TestWideListShowsMoreThanTheBeginningOfAText(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	const end = "and this is how it ends"
	f.say(1, "coder", []string{"tester"}, strings.Repeat("word ", 22)+end, "normal", parley.DeliveryRead)

	s := newScreen(t, f, 200, 30)
	s.send(room.TickMsg(noon))
	s.shows(end)
	s = newScreen(t, f, 120, 30)
	s.send(room.TickMsg(noon))
	s.hides(end)
}

// chat lets two agents exchange n messages.
func (f *fakeService) chat(from, n int, a, b string) {
	for i := range n {
		f.say(from+i, a, []string{b}, fmt.Sprintf("thanks! (%d)", i+1), "normal", parley.DeliveryRead)
		a, b = b, a
	}
}

func TestAnExchangeOfTwoAgentsFolds(t *testing.T) {
	f := newFake()
	f.say(1, "coder", []string{"planner"}, "a report", "normal", parley.DeliveryRead)
	f.say(2, "coder", []string{"planner"}, "another report", "normal", parley.DeliveryRead)
	f.chat(10, 14, "tester", "coder")
	f.say(30, "coder", []string{"planner"}, "the last report", "normal", parley.DeliveryRead)
	s := newScreen(t, f, 100, 30)
	s.shows("tester ⇄ coder", "×14 coder: thanks! (14)", "another report")
	s.hides("thanks! (13)")

	s.press("k", "enter")
	s.shows("thanks! (1)", "thanks! (13)", "z folds them again")
	s.press("z")
	s.hides("thanks! (13)")

	// A filter shows each message.
	s.press("/")
	s.enters("thanks")
	s.shows("thanks! (13)", "14 messages")
}

// What the marker is on stays when more comes; what is held is seen in a fold.
func TestAFoldEndsAtTheMarkerAndShowsTrouble(t *testing.T) {
	f := newFake()
	f.chat(10, 6, "tester", "coder")
	f.say(16, "tester", []string{"coder"}, "held here", "normal", parley.DeliveryHeld)
	f.say(17, "coder", []string{"tester"}, "so it is", "normal", parley.DeliveryRead)
	s := newScreen(t, f, 100, 30)
	s.shows("‖  ×8")
	s.press("F")
	f.say(18, "tester", []string{"coder"}, "one more", "normal", parley.DeliveryRead)
	s.news()
	s.shows("×8 coder: so it is", "one more")
	if got, want := s.m.traffic.Records.Shown.Sel.Text, "so it is"; got != want {
		t.Errorf("the marker is on %q, want %q", got, want)
	}
}

func TestDaysAreSeparated(t *testing.T) {
	f := newFake()
	for i := range 4 {
		f.say(i, "coder", []string{"tester"}, fmt.Sprint("number ", i), "normal", parley.DeliveryRead)
	}
	for i := range f.events {
		f.events[i].Time = noon.AddDate(0, 0, i/4-1)
	}
	f.events[0].Time = noon.AddDate(0, 0, -3)
	s := newScreen(t, f, 100, 30)
	s.shows("── Wednesday, 18 November 2026 ──", "── yesterday ──", "── today ──", "▸ 12:00:00 coder → tester")
	s.press("g", "k")
	s.shows("── Wednesday, 18 November 2026 ──")
	s.press("j", "j", "j", "j", "j")
	if got, want := s.m.traffic.Records.Shown.Sel.Text, "number 3"; got != want {
		t.Errorf("the marker went over the days to %q, want %q", got, want)
	}

	s.send(room.TickMsg(noon.Add(24 * time.Hour)))
	s.hides("today")
}

// The text has the room that the other columns do not need, at every width.
func TestTheTextOfAMessageGetsTheSpareWidth(t *testing.T) {
	text := strings.Repeat("x", 100)
	for w := 80; w <= 200; w += 10 {
		f := newFake()
		f.say(1, "coder", []string{"tester"}, text, "normal", parley.DeliveryRead)
		s := newScreen(t, f, w, 24)
		got := 0
		for line := range strings.SplitSeq(s.text(), "\n") {
			got = max(got, strings.Count(line, "x"))
		}
		if want := min(99, w-40); got < want {
			t.Errorf("at %d columns the text has %d of them, want %d:\n%s", w, got, want, s.text())
		}
	}
}

// lettersTeam is a team of which two agents wrote to each other, so many times.
func lettersTeam(n int) (*fakeService, []string) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	var ids []string
	for i := range n {
		pair := []string{"coder", "tester"}
		ids = append(ids, f.say(i+1, pair[i%2], pair[(i+1)%2:(i+1)%2+1], fmt.Sprint("letter ", i+1), "normal",
			parley.DeliveryHeld))
	}
	return f, ids
}

func TestKeysActOnSelectedMessages(t *testing.T) {
	f, ids := lettersTeam(3)
	s := newScreen(t, f, 120, 40)
	s.press("k", "k", "space", "j", "space")
	s.shows("2 selected", "▸*", "letter 2")
	s.press("T")
	s.shows("2 retried: 5f0c0001, 5f0c0003.")
	s.press("l")
	s.shows("2 released: 5f0c0001, 5f0c0003.")
	s.did(strings.Join([]string{"retry " + ids[0], "retry " + ids[2], "release " + ids[0], "release " + ids[2]}, ", "))

	s.press("esc")
	s.shows("Nothing is selected.")
	s.hides("2 selected ")
	s.press("l")
	s.shows("1 released: 5f0c0003.")
}

// What is selected elsewhere does not change what keys do.
func TestSelectedMessagesCountOnTheTrafficAlone(t *testing.T) {
	f, _ := lettersTeam(2)
	s := newScreen(t, f, 120, 40)
	s.press("k", "space", "2", "Y")
	s.shows("The agent's name is on the clipboard")
	s.press("1", "Y")
	s.shows("A list of 1 id is on the clipboard")
}

func TestAFoldIsSelectedAsAWhole(t *testing.T) {
	f, _ := lettersTeam(6)
	s := newScreen(t, f, 120, 40)
	s.shows("×6")
	s.press("space")
	s.shows("6 messages selected.", "6 selected")
	s.press("space")
	s.shows("Nothing is selected.")
}

func TestWhatFailsForAMessageIsNamed(t *testing.T) {
	f, _ := lettersTeam(2)
	s := newScreen(t, f, 120, 40)
	s.press("k", "space", "space")
	s.blind = true // the looks that follow would fail too
	f.err = parley.Errorf(parley.InvalidArgument, "it did not fail").Suggest("Leave it.")
	s.press("T")
	s.shows("0 of 2 retried; 5f0c0001: it did not fail; 5f0c0002: it did not fail → Leave it.")
}
