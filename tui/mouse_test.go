package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/tui/kit"
)

// click presses the left button where a text begins on the screen.
func (s *stage) click(text string) {
	s.t.Helper()
	s.send(s.find(text))
}

// find returns the click on a text.
func (s *stage) find(text string) tea.MouseClickMsg {
	s.t.Helper()
	for y, line := range strings.Split(s.text(), "\n") {
		if before, _, ok := strings.Cut(line, text); ok {
			return tea.MouseClickMsg{X: ansi.StringWidth(before), Y: y, Button: tea.MouseLeft}
		}
	}
	s.t.Fatalf("there is no %q to be clicked:\n%s", text, s.text())
	return tea.MouseClickMsg{}
}

func (s *stage) wheel(down bool, x, y int) {
	b := tea.MouseWheelUp
	if down {
		b = tea.MouseWheelDown
	}
	s.send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
}

func withMouse(o *Options) { o.Mouse = true }

func TestMouseIsOptIn(t *testing.T) {
	if got := newScreen(t, busyTeam(), 80, 24).m.View().MouseMode; got != tea.MouseModeNone {
		t.Errorf("the mouse is taken: %v", got)
	}
	if got := newScreen(t, busyTeam(), 80, 24, withMouse).m.View().MouseMode; got != tea.MouseModeCellMotion {
		t.Errorf("the mouse is not taken: %v", got)
	}
}

func TestClickMovesTheMarker(t *testing.T) {
	for _, size := range sizes {
		s := newScreen(t, busyTeam(), size[0], size[1], withMouse)
		s.click("2 Agents")
		s.shows("▸2 Agents")
		s.click("● tester")
		if got := s.marked(); got != "tester" {
			t.Errorf("%v: the marker is on %v", size, got)
		}

		s.click("3 Threads")
		s.click("storage format 2")
		s.shows("─ storage format 2")
		s.click("the parser's error")
		s.click("10:00 you")
		s.click("4 Needs you")
		s.click("✗ exited")
		s.shows("▸ ✗ exited")
		s.click("✉ for you")
		s.shows("▸ ✉ for you")
		s.click("∅ lost")
		s.shows("▸ ∅ lost")
		s.click("5 Health")
		s.shows("▸5 Health")
		s.click("1 Traffic")
		s.click("reviewer → coder")
		if got := s.m.traffic.Records.Shown.Sel.From; got != "reviewer" || strings.Contains(s.text(), "following") {
			t.Errorf("%v: the marker is on a message from %s", size, got)
		}

		s.fits("clicks")
	}
}

func TestWheelScrollsThePaneUnderIt(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 20, withMouse)
	at := s.m.traffic.Records.Shown.Sel
	s.wheel(false, 3, 5)
	if s.m.traffic.Records.Shown.Sel == at || strings.Contains(s.text(), "following") {
		t.Error("the wheel did not leave the newest message")
	}

	s.press("g", "enter")
	s.wheel(true, 3, 15)
	if s.m.traffic.Detail.Top == 0 || strings.Contains(s.text(), "▸ Message") {
		t.Error("the wheel did not scroll the message under it")
	}

	s.press("2", "g")
	first := s.m.agents.List.Sel
	s.wheel(true, 3, 5)
	if s.m.agents.List.Sel == first {
		t.Error("the wheel did not move in the list of agents")
	}

	s.press("5")
	s.wheel(true, 3, 5)
	if s.m.health.Top == 0 {
		t.Error("the wheel did not scroll the health")
	}

	s.press("?")
	s.wheel(true, 3, 5)
	if s.m.room.Keys.Help.Top == 0 {
		t.Error("the wheel did not scroll the help")
	}
}

// A click elsewhere does not answer a question or leave a draft.
func TestClickAnswersNoQuestion(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24, withMouse)
	s.press("b")
	s.typed("hello")
	s.click("2 Agents")
	s.shows("▸1 Traffic", "hello")
	s.press("esc", "2", "S")
	s.click("docs-writer")
	if s.m.room.Keys.Confirm == nil || s.marked() == "docs-writer" {
		t.Error("a click moved the marker away from what is asked about")
	}
	s.send(tea.WindowSizeMsg{Width: 30, Height: 10})
	s.send(tea.MouseClickMsg{X: 3, Y: 5, Button: tea.MouseLeft})
}

func TestClickInThePaletteChooses(t *testing.T) {
	for _, size := range sizes {
		s := newScreen(t, busyTeam(), size[0], size[1], withMouse)
		s.press("2", ":")
		s.click("3 Threads") // only the list can be clicked
		s.shows("▸2 Agents", "Run a command")
		s.click("  order ")
		s.shows("▸ order ", "Run a command")
		s.click("order ")
		s.hides("Run a command")
		if !strings.Contains(s.text(), "In no group") {
			t.Errorf("%v: a click on the marked row did nothing", size)
		}

		s.press(":")
		s.typed("read_term")
		s.click("read_terminal")
		s.shows(":read_terminal", "Lines above the screen to include.")
		s.click("history ")
		if got := string(s.m.palette.line); !strings.HasSuffix(got, " history=") {
			t.Errorf("%v: after a click on an argument the line is %q", size, got)
		}

		s.click("history ") // it is there
		if got := string(s.m.palette.line); strings.Count(got, "history=") != 1 {
			t.Errorf("%v: after a click on an argument that is there the line is %q", size, got)
		}

		s.fits("clicks")
	}
}

func TestWheelScrollsThePalette(t *testing.T) {
	s := newScreen(t, busyTeam(), 60, 20, withMouse)
	s.press(":")
	for range 6 {
		s.wheel(true, 3, 8)
	}

	if p := s.m.palette; p.sel != 6*kit.WheelLines || p.top == 0 {
		t.Errorf("the wheel went to row %d, the first in view is %d", p.sel, p.top)
	}

	row := s.m.palette.found[s.m.palette.top+2]
	s.click("  " + row.name + " ")
	if got := s.m.palette.found[s.m.palette.sel].name; got != row.name {
		t.Errorf("a click on %s marked %s", row.name, got)
	}

	s.press("esc", ":")
	s.enters("send_message")
	s.shows("more lines")
	fields := argumentsOf(s.m.palette.op)
	last := fields[len(fields)-1].Name
	s.hides(last)
	for range 9 {
		s.wheel(true, 3, 8)
	}

	s.shows(last)
	s.click(last)
	if got := string(s.m.palette.line); !strings.HasSuffix(got, last+"=") {
		t.Errorf("after a click on %s the line is %q", last, got)
	}

	s.press("up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up", "up")
	s.hides(last + " ")
}

func TestDoubleClickOpens(t *testing.T) {
	now := noon
	s := newScreen(t, busyTeam(), 120, 40, withMouse, func(o *Options) { o.Now = func() time.Time { return now } })
	twice := func(tab, text string, between time.Duration) {
		s.click(tab)
		now = now.Add(time.Second)
		at := s.find(text)
		s.send(at)
		now = now.Add(between)
		s.send(at)
		now = now.Add(time.Second)
	}

	twice("2 Agents", "● reviewer", doubleClick+1)
	if len(s.attached) > 0 {
		t.Errorf("two clicks that are no double click attached to %q", s.attached)
	}
	twice("2 Agents", "● reviewer", doubleClick)
	if got := strings.Join(s.attached, " "); got != "reviewer" {
		t.Errorf("attached to %q, want reviewer", got)
	}

	twice("3 Threads", "storage format 2", doubleClick)
	if !s.m.threads.InTalk {
		t.Error("a thread is not open")
	}
	twice("4 Needs you", "✗ exited", doubleClick)
	if strings.Contains(s.text(), "▸ Needs you") {
		t.Error("the keys do not go to the details of a need")
	}
	if len(s.service.stopped) > 0 {
		t.Errorf("a double click did %q", s.service.stopped)
	}
	twice("1 Traffic", "Plan for today", doubleClick)
	s.shows("▸ 11:4", "Message 5f0c0001")
}

func TestHeadingsSort(t *testing.T) {
	s := newScreen(t, busyTeam(), 240, 40, withMouse)
	s.click("2 Agents")
	s.press("v") // in all of the window
	for heading, want := range map[string]string{
		"agent": "by name", "state": "by trouble", "for": "by time in state", "last hour": "by messages",
	} {
		x := strings.Index(strings.Split(s.text(), "\n")[3], heading)
		s.send(tea.MouseClickMsg{X: x, Y: 3, Button: tea.MouseLeft})
		s.shows("Ordered " + want + ".")
	}
}
