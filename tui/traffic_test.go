package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"

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
	s.shows("◐ coder", "1 queued · 2", "held: the pane is in copy mode", "claude/opus", "1 overdue · 1",
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
