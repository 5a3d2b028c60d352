package tui

import (
	"fmt"
	"testing"

	"parley"
)

// copied runs a key, and returns what its command hands to the terminal.
func (s *stage) copied(key string) string {
	s.t.Helper()
	b := s.m.keys.find(inShell, key)
	if cmd := b.run(); cmd != nil {
		return fmt.Sprint(cmd())
	}
	return ""
}

func TestCopiesTheMessageAndWhatNamesIt(t *testing.T) {
	s, _ := newBusyScreen(t, 120, 30)
	s.press("enter")
	if got, want := s.copied("y"), "green again"; got != want {
		t.Errorf("y copied %q, want %q", got, want)
	}
	if got, want := s.copied("Y"), s.m.traffic.sel.id; got != want {
		t.Errorf("Y copied %q, want %q", got, want)
	}

	s.press("esc", "2")
	if got, want := s.copied("Y"), s.m.agents.selected().Name; got != want {
		t.Errorf("Y copied %q, want %q", got, want)
	}
	if got := s.copied("y"); got != "" {
		t.Errorf("y copied %q of an agent", got)
	}
	s.press("y")
	s.shows("No message to copy here.")
}

func TestRootCauseIsShown(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateWaiting, 4, 4, "a question is open")
	f.agents[0].WaitsFor = "coder has had a question open for 20 min"
	s := newScreen(t, f, 131, 30)
	s.press("2")
	s.shows("waits: coder has had a question open for 20 min → 4")
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

func TestFilterTellsTimesAndWhatItDoesNotKnow(t *testing.T) {
	d := newShared(Options{}.withDefaults(), commands{})
	d.now = noon
	for text, want := range map[string]string{
		"since:2h": "10:00", "since:09:30": "09:30", "since:today": "00:00", "on:yesterday": "00:00", "since:3d": "12:00",
	} {
		q := d.parseQuery(text)
		if q.request.Since == nil || q.request.Since.Format("15:04") != want {
			t.Errorf("%s: since %v, want %s (%s)", text, q.request.Since, want, q.problem)
		}
	}
	for _, text := range []string{"since:soon", "is:lost", "on:2h", "from:nobody", "has:legs"} {
		if q := d.parseQuery(text); q.problem == "" || q.empty() {
			t.Errorf("%s: no problem was found", text)
		}
	}
	if q := d.parseQuery("is:problem"); len(q.request.States) != 3 {
		t.Errorf("is:problem asks for %v", q.request.States)
	}
}

// A filter that is shown follows what happens.
func TestFilterFollowsWhatHappens(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryHeld)
	s := newScreen(t, f, 120, 30)
	s.enters("/is:held")
	s.shows("1 message · 1 held", "hello")
	f.messages[id].Deliveries[0].State = parley.DeliveryRead
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, AgentID: idOf("tester"), State: "read"})
	s.news()
	s.shows("0 messages", "No message matches.")
}
