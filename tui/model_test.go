package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

func TestEachScreenHasItsKeys(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	for _, c := range []struct{ keys, shows string }{
		{"2A", "docs-writer"}, {"3D", "the parser's error messages"}, {"4Nn", "its terminal is gone"},
		{"5H", "Who writes to whom"}, {"1T", "Plan for today"},
	} {
		for _, key := range c.keys {
			s.press("left", "left", string(key))
			s.shows(c.shows)
		}
	}

	s.press("left")
	s.shows("Who writes to whom")
	s.press("right")
	s.shows("Plan for today")
}

func TestStopAsksFirst(t *testing.T) {
	s, f := newBusyScreen(t, 100, 30)
	s.choose("coder")
	s.press("S")
	s.shows("Stop coder? Its process and context are lost; messages are kept. y/n")
	s.press("n")
	s.shows("Cancelled.")
	if len(f.stopped) > 0 {
		t.Errorf("stopped %q without a yes", f.stopped)
	}

	s.press("S", "y")
	s.shows("coder stopped.")
	if got, want := strings.Join(f.stopped, " "), "stop "+agentID("coder"); got != want {
		t.Errorf("did %q, want %q", got, want)
	}
}

func TestPauseIsUndone(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	s.press("u")
	s.shows("Nothing to undo.")
	s.press("p")
	s.shows("‖ paused by operator", "Messages are paused. u resumes them.")
	s.press("u")
	s.hides("paused by")
}

func TestSteersTheAgentUnderTheMarker(t *testing.T) {
	s, f := newBusyScreen(t, 100, 30)
	s.choose("coder")
	s.press("s")
	s.shows("Guidance for coder")
	s.enters("leave the lexer")
	if len(f.steered) != 1 || f.steered[0].Agent != agentID("coder") || f.steered[0].Text != "leave the lexer" {
		t.Errorf("steered %+v, want coder once", f.steered)
	}
}

func TestNoticeExpiresAndErrorStays(t *testing.T) {
	s, f := newBusyScreen(t, 100, 30)
	s.press("3", "r")
	s.shows("No message to reply to here.")
	s.send(tickMsg(noon.Add(toastTime + time.Second)))
	s.hides("No message to reply")
	f.err = parley.Errorf(parley.Internal, "it broke")
	s.press("p")
	s.send(tickMsg(noon.Add(3 * toastTime)))
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
		if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || invisible(r) || r >= 0x202a && r <= 0x202e) {
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
