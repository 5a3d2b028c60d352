package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

func TestEachScreenHasItsKeys(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	for _, c := range []struct{ key, shows string }{
		{"2", "docs-writer"}, {"3", "the parser's error messages"}, {"4", "its terminal is gone"},
		{"5", "Who writes to whom"}, {"1", "Plan for today"},
	} {
		s.press("left", "left", c.key)
		s.shows(c.shows)
	}

	s.press("left")
	s.shows("Who writes to whom")
	s.press("right")
	s.shows("Plan for today")
}

func TestNoticeExpiresAndErrorStays(t *testing.T) {
	s, f := newBusyScreen(t, 100, 30)
	s.press("3", "r")
	s.shows("No message to reply to here.")
	s.send(room.TickMsg(noon.Add(9 * time.Second)))
	s.hides("No message to reply")
	f.err = parley.Errorf(parley.Internal, "it broke")
	s.press("p", "y")
	s.send(room.TickMsg(noon.Add(24 * time.Second)))
	s.shows("it broke")
}

func TestForeignTextIsShownSafely(t *testing.T) {
	f := newFake()
	evil := "a\x1b]0;title\x07b\u202ec\u200dd\ufe0fe\x9bf\rg\u0000h \U000e0041i Z" + strings.Repeat("\u0301", 40)
	id := f.say(1, "coder", []string{"tester"}, evil, "normal", parley.DeliveryHeld)
	f.messages[id].Deliveries[0].Reason, f.messages[id].Object.ContextReference = evil, evil
	f.events[0].Sender, f.events[0].Preview = evil, evil
	f.agent("x", parley.AgentState(evil), 0, 0, evil)
	s := newScreen(t, f, 140, 40)
	s.press("enter")
	for _, r := range s.text() {
		if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || kit.Visible(string(r)) == "" ||
			r >= 0x202a && r <= 0x202e) {
			t.Errorf("the screen holds %U", r)
		}
	}

	s.fits("evil text")
	s.shows("a]0;titlebcdef")
}

func TestLayoutDoesNotFlickerNearATierEdge(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24)
	s.press("enter")
	for _, c := range []struct {
		width int
		wide  bool
	}{
		{100, false}, {131, false}, {132, true}, {128, true}, {126, true}, {125, false},
		{131, false}, {300, true}, {60, false},
	} {
		s.send(tea.WindowSizeMsg{Width: c.width, Height: 24})
		if got := strings.Contains(s.text(), "│"); got != c.wide {
			t.Errorf("at %d columns side by side is %v, want %v", c.width, got, c.wide)
		}
	}
}

func TestSmallWindowAsksForRoom(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press("b")
	s.typed("a draft")
	s.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	s.shows("parley needs 60×20", "quits.")
	s.typed("xyz")
	s.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	s.shows("a draftxyz")
	for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 2}, {59, 20}, {60, 19}, {0, 0}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if size[0] > 0 {
			s.fits(fmt.Sprint(size))
		}
	}

	s.press("ctrl+c")
	if s.quit {
		t.Error("ctrl+c left a draft behind without asking")
	}
	if s.press("ctrl+c"); !s.quit {
		t.Error("the second ctrl+c did not leave")
	}
}

func TestFiveHundredAgentsAreInReach(t *testing.T) {
	f := newFake()
	states := []parley.AgentState{parley.StateIdle, parley.StateBusy, parley.StateWaiting, parley.StateExited}
	for i := range 500 {
		f.agent(fmt.Sprintf("agent-%03d", i), states[i%4], i%5, i%3, "")
	}
	f.say(1, "agent-007", []string{"agent-499"}, "hello", "normal", parley.DeliveryRead)

	for _, size := range sizes {
		s := newScreen(t, f, size[0], size[1])
		for _, keys := range []string{"1", "2", "2 G", "2 g pgdown pgdown", "3", "4", "5", "5 G", "t", "t pgdown"} {
			s.press("esc")
			s.press(strings.Fields(keys)...)
			s.fits(keys)
		}

		s.press("esc", "2", "o", "o", "G") // by name
		s.shows("agent-499")
		s.press("f")
		s.typed("agent:agent-49")
		s.shows("agent:agent-490")
		s.typed("9")
		s.press("enter")
		s.shows("hello")
		s.press("esc", "w")
		s.typed("agent-250")
		s.press("enter")
		s.enters("to one of them")
		if n := len(f.sent); n == 0 || f.sent[n-1].To[0] != agentID("agent-250") {
			t.Errorf("%v: sent %v", size, f.sent)
		}
	}
}
