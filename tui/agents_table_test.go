package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

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
	want := strings.Fields("agent state for now branch context today waiting runs role")
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
		"last hour", "········█···", "waiting", "← coder: hello")
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
