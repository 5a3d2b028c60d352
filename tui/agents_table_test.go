package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

func tableTeam() *fakeService {
	f := newFake()
	f.agent("coder", parley.StateWaiting, 3, 3, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	f.agents[0].WaitsFor = "its terminal asks “May I edit the file that everybody else works on?”"
	f.agents[0].Role, f.agents[0].Profile = "writes the parser", "claude"
	f.agents[0].Command = []string{"claude", "--model=opus"}
	f.agents[0].Worktree = &parley.Worktree{Branch: "parser-errors"}
	f.agents[0].Context = 82_000
	f.agents[0].Today = &parley.Spending{Tokens: parley.Tokens{Input: 41_000}, Cost: 1.25}
	return f
}

// columnsAt returns the headings of the list in a window of so many columns.
func columnsAt(t *testing.T, f *fakeService, w int) []string {
	s := newScreen(t, f, w, 30)
	s.press("2", "v") // without the terminal
	s.fits("2")
	heads := strings.ReplaceAll(strings.Split(s.text(), "\n")[kit.RowsTop+1], "last hour", "last-hour")
	return strings.Fields(heads)
}

// In a wider window no column goes, and what is said of an agent takes the place of none.
func TestColumnsStayInAWiderWindowWhateverIsSaid(t *testing.T) {
	quiet, long := tableTeam(), tableTeam()
	quiet.agents[0].WaitsFor = ""
	long.agents[0].WaitsFor = strings.Repeat(long.agents[0].WaitsFor, 5)
	var before []string
	for w := 60; w <= 240; w += 4 {
		got := columnsAt(t, quiet, w)
		if want := columnsAt(t, long, w); !slices.Equal(got, want) {
			t.Fatalf("at %d columns there are %q, and with a long sentence %q", w, got, want)
		}
		at := 0
		for _, head := range got { // those of before, in their order, and others
			if at < len(before) && head == before[at] {
				at++
			}
		}
		if at < len(before) {
			t.Fatalf("at %d columns there are %q, and before there were %q", w, got, before)
		}
		before = got
	}
	want := strings.Fields("agent state for now branch context today messages runs role")
	if !slices.Equal(before, want) {
		t.Errorf("in the end there are %q, want %q", before, want)
	}
}

// An agent's row says what it does in its own words, and how far its branch is from where it began.
func TestAgentTellsWhatItDoes(t *testing.T) {
	f := tableTeam()
	f.agents[0].WaitsFor, f.agents[0].State, f.agents[0].Doing = "", parley.StateBusy, "Fix the parser's messages"
	for _, w := range []int{80, 120, 180} {
		s := newScreen(t, f, w, 30)
		s.press("2")
		s.shows("Fix the parser", "coder", "busy", "parser-errors ↑2 ↓1 ~3")
	}
}

func TestAgentsHaveTheColumnsThatAnybodyFills(t *testing.T) {
	f := tableTeam()
	f.agents[0].WaitsFor = "an answer"
	f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryRead)
	s := newScreen(t, f, 240, 30)
	s.press("2", "v")
	s.shows("runs", "claude/opus", "role", "writes the parser", "branch", "parser-errors", "context", "82k", "today",
		"41k 1.25",
		"last hour", "········█···", "messages", "← coder: hello")
	s.hides("directory", "talk")

	f.agents[0].Role, f.agents[0].Worktree, f.agents[0].Today = "", nil, nil
	f.agents[0].Context = 0
	s.send(room.TickMsg(noon))
	s.hides("role", "branch", "context", "today")
}

func TestAgentsAreSortedByMessagesTokensAndTime(t *testing.T) {
	f := newFake()
	for i, name := range []string{"ann", "bob", "cy"} {
		f.agent(name, parley.StateIdle, 0, 0, "")
		f.agents[i].Since = noon.Add(-time.Duration(3-i*i) * time.Hour)
		f.agents[i].Today = &parley.Spending{Tokens: parley.Tokens{Input: int64(1 + i%2)}}
	}
	f.chat(1, 5, "cy", "bob")
	f.say(9, "cy", []string{"ann"}, "hello", "normal", parley.DeliveryRead)
	s := newScreen(t, f, 100, 30)
	for i, want := range []string{"ann", "ann", "ann", "cy", "bob", "ann"} { // none by host: there is one
		s.press("2", "g")
		if got := s.marked(); got != want {
			t.Errorf("in order %d the first is %s, want %s", i, got, want)
		}
		s.press("o")
	}
}

func TestAgentIsNotInTroubleForWhatTheProtocolHolds(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 1, 1, "nothing called for an answer from the agent")
	f.agents[0].HeldCode = parley.HoldConversation
	s := newScreen(t, f, 120, 30)
	s.press("2")
	s.shows("At rest 1", "held: nothing called")
	s.hides("In trouble")
}

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
