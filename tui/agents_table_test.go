package tui

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

const reason = "waits: its terminal asks “May I edit the file that everybody else works on?” → 4"

func tableTeam() *fakeService {
	f := newFake()
	f.agent("coder", parley.StateWaiting, 3, 3, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	f.agents[0].WaitsFor = strings.TrimSuffix(strings.TrimPrefix(reason, "waits: "), " → 4")
	f.agents[0].Role, f.agents[0].Profile = "writes the parser", "claude"
	f.agents[0].Command = []string{"claude", "--model=opus"}
	f.agents[0].Worktree = &parley.Worktree{Branch: "parser-errors"}
	f.agents[0].Context = 82_000
	f.agents[0].Today = &parley.Spending{Tokens: parley.Tokens{Input: 41_000}, Cost: 1.25}
	return f
}

// The reason why an agent waits is the last thing that is cut.
func TestTheReasonIsWholeWhileAnotherColumnIsThere(t *testing.T) {
	for w := 60; w <= 200; w += 7 {
		s := newScreen(t, tableTeam(), w, 30)
		s.press("2", "v") // without the terminal
		s.fits("2")
		if strings.Contains(s.text(), reason) {
			continue
		}
		if w >= 130 {
			t.Fatalf("at %d columns the reason is cut:\n%s", w, s.text())
		}
		for _, column := range []string{"claude/opus", "parser-errors", "writes the", "41k", "3 unread"} {
			if strings.Contains(s.text(), column) {
				t.Fatalf("at %d columns the reason is cut, and %s is there:\n%s", w, column, s.text())
			}
		}
	}
}

func TestAgentsHaveTheColumnsThatAnybodyFills(t *testing.T) {
	f := tableTeam()
	f.agents[0].WaitsFor = "an answer"
	f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryRead)
	s := newScreen(t, f, 240, 30)
	s.press("2")
	s.shows("runs", "claude/opus", "role", "writes the parser", "branch", "parser-errors", "context", "82k", "today", "41k 1.25",
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
	for i, want := range []string{"ann", "ann", "ann", "cy", "bob", "ann"} {
		s.press("2", "g")
		if got := s.marked(); got != want {
			t.Errorf("in order %d the first is %s, want %s", i, got, want)
		}
		s.press("o")
	}
}

// Why the conversation protocol holds a message takes no column away.
func TestAdviceTakesNoRoomFromTheColumns(t *testing.T) {
	const why = "held: nothing called for an answer from the agent"
	f := tableTeam()
	f.agents[0].WaitsFor = ""
	f.agents[0].Name = "release-manager"
	f.agents[0].HeldReason = strings.TrimPrefix(why, "held: ") +
		". Mention the agent (@name), or ask it a question about its own work."
	f.agents[0].HeldCode = parley.HoldConversation
	s := newScreen(t, f, 200, 40)
	s.press("2")
	s.shows(why[:20], "release-manager", "claude/opus", "parser-errors", "writes the parser", "3 queued")
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
