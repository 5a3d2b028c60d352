package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// asking is a team in which the coder has a dialog open, on a clock that the test moves.
func asking(t *testing.T, d *parley.Dialog, w, h int) (*stage, *time.Time) {
	f, now := busyTeam(), noon
	f.asks(d)
	f.agents[0].State = parley.StateWaiting
	s := newScreen(t, f, w, h, func(o *Options) { o.Now = func() time.Time { return now } })
	s.press("t")
	return s, &now
}

func TestTilesShowWhoNeedsEyesFirst(t *testing.T) {
	s, _ := asking(t, permission(), 120, 30)
	if got, want := s.marked(), "planner"; got != want { // it has exited, which is worse
		t.Errorf("the first tile is %s, want %s", got, want)
	}
	s.shows("▸ ✗ planner exited", "◆ coder waiting", "Reading parser.go", "1  Yes", "2  No", "3  Type something … (r)")
	s.fits("t")

	s.press("tab", "enter")
	s.shows("▸ ◆ coder waiting")
	s.hides("planner")
	s.press("a")
	if got, want := fmt.Sprint(s.attached), "[coder]"; got != want {
		t.Errorf("attached to %s, want %s", got, want)
	}
	s.press("esc")
	s.shows("planner exited")
	s.press("esc")
	s.shows("Plan for today")
}

// A key that was on its way when the question came does not answer it, and neither does one
// for a question of which only a part is drawn.
func TestTileAnswersNoUnseenQuestion(t *testing.T) {
	s, now := asking(t, permission(), 120, 30)
	s.press("tab", "2")
	s.did("")
	s.shows("has just come")

	other := permission()
	other.ID = "0ther"
	s.service.needs[0].Dialog = other
	*now = now.Add(time.Minute)
	s.press("enter") // reads it
	s.press("2")
	s.did("")
	*now = now.Add(room.TileRests)
	s.press("2")
	s.did("answer 0ther 2")

	long := permission()
	long.Lines = strings.Split(strings.Repeat("rm -rf build\n", 30), "\n")
	s, now = asking(t, long, 120, 30)
	s.shows("… enter shows all of it")
	*now = now.Add(time.Minute)
	s.press("tab", "1")
	s.did("")
	s.shows("Here is all of it")
	s.press("1")
	s.did("answer 5f0c21aa 1")

	secret := permission()
	secret.Secret = true
	s, now = asking(t, secret, 120, 30)
	*now = now.Add(time.Minute)
	s.press("tab", "1")
	s.did("")
	s.shows("parley never types")
}

// The tiles stay where they are as agents change, so that a key meets what was seen.
func TestTilesStayInTheirPlaces(t *testing.T) {
	f := few(9)
	s := newScreen(t, f, 120, 36)
	s.press("t")
	before := s.tiles()
	f.agents[7].State = parley.StateExited
	f.agent("newcomer", parley.StateWaiting, 0, 0, "")
	s.send(room.TickMsg(noon))
	if got := s.tiles(); !slices.Equal(got, before) || len(got) != 9 {
		t.Errorf("the order is %q, was %q", got, before)
	}
	s.shows("1–9 of 10", "1 more in trouble: o")
	s.press("o")
	if got, want := s.marked(), "agent-007"; got != want {
		t.Errorf("o puts %s first, want %s", got, want)
	}
}

// tiles are the agents in the tiles, in the order in which they are drawn.
func (s *stage) tiles() []string {
	return regexp.MustCompile(`agent-\d+`).FindAllString(s.text(), -1)
}

// Only terminals that are drawn are read.
func TestTilesReadOnlyWhatTheyShow(t *testing.T) {
	s := newScreen(t, few(30), 80, 24)
	reads := func(keys ...string) []string {
		s.service.looked = nil
		s.press(keys...)
		return s.service.looked
	}

	if got := len(reads("t")); got != 4 {
		t.Errorf("%d are read, want 4", got)
	}
	if got, want := reads("pgdown")[0], agentID("agent-004"); got != want {
		t.Errorf("on the second page %s is the first, want %s", got, want)
	}
	if got := len(reads("enter")); got != 1 {
		t.Errorf("zoomed in, %d are read", got)
	}
	if got := len(reads("?")); got != 0 {
		t.Errorf("%d are read below the help", got)
	}
	s.press("esc", "esc")
	if got := len(reads("esc")); got != 0 {
		t.Errorf("%d are read, and no tile is shown", got)
	}
	s.shows("Traffic")
}

func TestTilesFitEverySize(t *testing.T) {
	drawsALot(t)
	for _, size := range [][2]int{{60, 20}, {80, 24}, {97, 31}, {120, 36}, {180, 50}, {300, 80}} {
		for _, n := range []int{1, 2, 3, 5, 7, 12, 16, 40} {
			f := few(n)
			f.terminal[39] = strings.Repeat("長い\x1b[31m", 90)
			s := newScreen(t, f, size[0], size[1])
			s.press("t")
			for _, key := range []string{"tab", "+", "+", "down", "right", "pgdown", "space", "enter"} {
				s.press(key)
				s.fits(fmt.Sprint(key, " with ", n))
			}
		}
	}
}

func TestSelectionIsActedOn(t *testing.T) {
	for name, c := range map[string]struct {
		keys  []string
		shows string
		did   string
	}{
		"restart": {[]string{"R", "y"}, "2 restarted: planner, scout.",
			"restart " + agentID("planner") + ", restart " + agentID("scout")},
		"stop": {[]string{"S", "n"}, "Cancelled.", ""},
		"pause": {[]string{"p"}, "Paused what they say to each other: planner, scout. u lets them go on.",
			"mute " + agentID("scout") + "," + agentID("planner")},
		"undo": {[]string{"p", "u"}, "They may go on: planner, scout.",
			"mute " + agentID("scout") + "," + agentID("planner") +
				", unmute " + agentID("scout") + "," + agentID("planner")},
		"release": {[]string{"l"}, "Nothing to release", ""},
		"clear":   {[]string{"esc"}, "Nothing is selected.", ""},
		"tiles":   {[]string{"t"}, "Tiles of those selected", ""},
		"write":   {[]string{"b"}, "to planner, scout", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := newBusyScreen(t, 140, 30)
			f.heat = nil
			s.press("2", "g", "space", "space")
			s.shows("2 selected", "*✗ planner", "2 agents: planner, scout.")
			s.press(c.keys...)
			s.shows(c.shows)
			s.did(c.did)
		})
	}
}

// A selection that is not in sight changes no key.
func TestSelectionCountsOnlyWhereItIsSeen(t *testing.T) {
	s, f := newBusyScreen(t, 140, 30)
	s.press("2", "space", "space", "1", "p", "y")
	s.shows("Messages are paused.")
	s.press("b")
	s.shows("To all agents")
	if len(f.pleas) > 0 {
		t.Errorf("did %q", f.pleas)
	}
}

// One that fails is named, and the others are done.
func TestFailureNamesTheAgent(t *testing.T) {
	s, f := newBusyScreen(t, 140, 30)
	s.press("2", "g", "space", "space", "R")
	s.blind, f.err = true, parley.Errorf(parley.TmuxUnavailable, "tmux is away").Suggest("Start it.")
	s.press("y")
	s.shows("0 of 2 restarted; planner: tmux is away; scout: tmux is away")
}

func TestMouseChoosesATile(t *testing.T) {
	s := newScreen(t, few(4), 120, 36, withMouse)
	s.press("t")
	at := tea.MouseClickMsg{X: 100, Y: 30, Button: tea.MouseLeft}
	s.send(at)
	if got, want := s.marked(), "agent-003"; got != want || len(s.tiles()) != 4 {
		t.Errorf("chose %s, want %s", got, want)
	}
	s.send(at)
	if got := s.tiles(); !slices.Equal(got, []string{"agent-003"}) {
		t.Errorf("the second click does not zoom in, but shows %q", got)
	}
}

// While the daemon is away, the tiles show what was there last, and no key reaches anybody.
func TestTilesOutliveTheDaemon(t *testing.T) {
	s, now := asking(t, permission(), 120, 30)
	*now = now.Add(time.Minute)
	s.blind, s.service.err = true, gone
	s.send(room.FeedMsg{Err: gone, At: noon})
	s.press("tab", "enter", "esc")
	s.shows("daemon gone", "Reading parser.go", "coder waiting")
	s.press("1")
	s.did("")
	s.shows("cannot be read now")

	s.service.err = nil
	s.press("enter")
	*now = now.Add(time.Minute)
	s.press("1")
	s.did("answer 5f0c21aa 1")
}

// A key that is pressed twice answers once, also if the same question comes again.
func TestTileAnswersOnce(t *testing.T) {
	s, now := asking(t, permission(), 120, 30)
	*now = now.Add(time.Minute)
	s.press("tab", "1", "1")
	s.did("answer 5f0c21aa 1")

	s.press("enter") // reads it: it is still open, or open again
	s.press("1")
	s.did("answer 5f0c21aa 1")
	s.shows("has just come")
}

// A key that was meant for an agent that has just gone does not answer another.
func TestTileAnswersNobodyElse(t *testing.T) {
	f, now := few(2), noon
	f.asks(permission())
	f.agent("coder", parley.StateWaiting, 0, 0, "")
	s := newScreen(t, f, 120, 30, func(o *Options) { o.Now = func() time.Time { return now } })
	s.press("t", "tab")
	now = now.Add(time.Minute)
	f.agents = slices.Delete(f.agents, 0, 1) // that under the marker
	s.send(room.TickMsg(noon))
	if got, want := s.marked(), "coder"; got != want {
		t.Fatalf("the marker is on %s, want %s", got, want)
	}
	s.press("1")
	s.did("")
	now = now.Add(room.TileRests)
	s.press("1")
	s.did("answer 5f0c21aa 1")
}
