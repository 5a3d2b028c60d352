package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

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
