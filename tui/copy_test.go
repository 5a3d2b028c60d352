package tui

import (
	"testing"

	"parley"
)

func TestRootCauseIsShown(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateWaiting, 4, 4, "a question is open")
	f.agents[0].WaitsFor = "coder has had a question open for 20 min"
	s := newScreen(t, f, 131, 30)
	s.press("2")
	s.shows("  coder has had a question open for 20 min → 4")
	s.press("5")
	s.shows("waits: coder has had a question open for 20 min → 4")
}

func TestMessagesOfAnotherDayHaveTheirTime(t *testing.T) {
	f := newFake()
	f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryRead)
	f.events[0].Time = noon.AddDate(0, 0, -1)
	s := newScreen(t, f, 120, 30)
	s.shows("── yesterday ──", "12:00:00 coder → tester")
}

// A filter that is shown follows what happens.
func TestFilterFollowsWhatHappens(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryHeld)
	s := newScreen(t, f, 120, 30)
	s.enters("/is:held")
	s.shows("1 message · 1 held", "hello")
	f.messages[id].Deliveries[0].State = parley.DeliveryRead
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, RecipientID: idOf("tester"), State: "read"})
	s.news()
	s.shows("0 messages", "No message matches.")
}

func TestTerminalIsCopied(t *testing.T) {
	s, f := newBusyScreen(t, 120, 30)
	f.terminal = []string{"one", "two", "", ""}
	s.choose("coder")
	s.press("y")
	s.shows("The terminal of coder is on the clipboard")
	s.press("5", "y")
	s.shows("No message and no terminal to copy here.")
}
