package tui

import (
	"strings"
	"testing"

	"parley"
	"parley/tui/room"
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
