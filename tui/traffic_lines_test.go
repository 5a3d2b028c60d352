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
