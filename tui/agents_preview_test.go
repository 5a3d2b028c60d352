package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// few is a team of n agents at rest, whose terminals are 40 lines high.
func few(n int) *fakeService {
	f := newFake()
	for i := range n {
		f.agent(fmt.Sprintf("agent-%03d", i), parley.StateIdle, 0, 0, "")
	}
	f.terminal = make([]string, 40)
	for i := range f.terminal {
		f.terminal[i] = fmt.Sprintf("line %d of it", i)
	}
	return f
}

// With few agents all of them are seen, and no line of the window is wasted while
// the terminal has more to show.
func TestPreviewFillsWhatTheListLeavesFree(t *testing.T) {
	drawsALot(t)
	for _, c := range []struct{ w, h, agents, least int }{
		{60, 20, 2, 10}, {60, 20, 9, 0}, {80, 24, 3, 13}, {80, 24, 200, 9}, {100, 30, 7, 15}, {100, 50, 3, 39},
		{120, 80, 12, 40}, {100, 50, 200, 22}, {140, 30, 3, 25}, {140, 50, 200, 40},
		{300, 80, 3, 40}, {300, 80, 200, 40},
	} {
		s := newScreen(t, few(c.agents), c.w, c.h)
		s.press("2")
		lines := 0
		for i := range 40 {
			if strings.Contains(s.text(), fmt.Sprintf("line %d of it", i)) {
				lines++
			}
		}

		if lines != c.least {
			t.Errorf("%dx%d with %d agents: %d lines of the terminal are seen, want %d:\n%s", c.w, c.h, c.agents, lines,
				c.least, s.text())
		}

		if c.agents < 10 {
			s.shows(fmt.Sprintf("agent-%03d", c.agents-1))
		}
		if lines > 0 {
			s.shows("line 39 of it")
		}

		s.fits("2")
	}
}

// The preview does not move when a heading comes or goes, or when the window's edge
// is dragged across a border and back.
func TestPreviewStaysInPlace(t *testing.T) {
	f := few(6)
	s := newScreen(t, f, 100, 50)
	s.press("2")
	top := func() int {
		return slices.IndexFunc(strings.Split(s.text(), "\n"),
			func(l string) bool { return strings.HasPrefix(l, "─ agent-") })
	}

	set := func(state parley.AgentState) {
		f.mu.Lock()
		f.agents[5].State = state
		f.mu.Unlock()
		s.send(room.TickMsg(noon))
	}

	set(parley.StateBusy)
	first := top()
	for range 3 {
		set(parley.StateIdle)
		if got := top(); got != first {
			t.Errorf("the terminal went from line %d to %d as a heading went", first, got)
		}
		set(parley.StateBusy)
	}

	s.send(tea.WindowSizeMsg{Width: 132, Height: 50})
	s.shows(" │ ")
	s.send(tea.WindowSizeMsg{Width: 126, Height: 50})
	s.shows(" │ ")
	s.send(tea.WindowSizeMsg{Width: 125, Height: 50})
	s.hides(" │ ")
	if got := top(); got != first {
		t.Errorf("the terminal is at line %d, want %d as before", got, first)
	}
}

// The top of a terminal that is higher than the room is seen, not the blank lines
// below it.
func TestPreviewDropsBlankLinesWhereRoomIsShort(t *testing.T) {
	f := few(3)
	f.terminal = append(
		[]string{"the first word", "", "", "", "the \x1b[31mlast\x1b[0m word", "\x1b[31m", " "},
		make([]string, 33)...)
	s := newScreen(t, f, 80, 24)
	s.press("2")
	s.shows("the first word\n\nthe last word")
	s = newScreen(t, f, 80, 60) // where all of it fits nothing is left out
	s.press("2")
	s.shows("the first word\n\n\n\nthe last word")
}
