package tui

import (
	"strings"
	"testing"

	"parley"

	"parley/tui/kit"
)

// Each list is filtered where it is, tells how much of it passes, and is whole again after esc, with the marker where
// it went.
func TestEveryListIsFilteredWhereItIs(t *testing.T) {
	for _, c := range []struct {
		screen, letters string
		shows, hides    string
		count, marker   string
	}{
		{"2", "rvw", "reviewer", "old-hand", "1 of 7", "● reviewer"},
		{"2", "builders", "coder", "old-hand", "2 of 7", "tester"},
		{"3", "storage", "storage format 2", "the parser's error", "1 of ", "storage format 2"},
		{"4", "exited", "exited", "∅ lost", "1 of ", "✗ exited"},
	} {
		s := newScreen(t, busyTeam(), 120, 40)
		s.press(c.screen, "/")
		s.typed(c.letters)
		s.fits("the filter")
		s.shows("/"+c.letters+"  "+c.count, c.shows)
		s.hides(c.hides)

		s.press("enter")
		s.shows(c.count, "/"+c.letters+" · esc shows all")
		s.hides(c.hides)
		if got := s.markedRow(); !strings.Contains(got, c.marker) {
			t.Errorf("%s /%s: the marker is on %q", c.screen, c.letters, got)
		}

		s.press("esc")
		s.shows(c.shows, c.hides)
		s.hides("esc shows all")
		if got := s.markedRow(); !strings.Contains(got, c.marker) {
			t.Errorf("%s /%s and esc: the marker is on %q", c.screen, c.letters, got)
		}
	}
}

// markedRow is the row of a list that the marker is on.
func (s *stage) markedRow() string {
	for _, row := range strings.Split(s.text(), "\n")[kit.RowsTop+1:] {
		if strings.HasPrefix(row, "▸ ") {
			return row
		}
	}
	return ""
}

// What is filtered away is not what a key means.
// A filter finds whatever a row says, and puts the best match first, under the marker.
func TestAFilterFindsWhatIsDrawnBestFirst(t *testing.T) {
	f := newFake()
	for _, name := range []string{"svc-04", "svc-14", "svc-34", "svc-41"} {
		f.agent(name, parley.StateIdle, 0, 0, "")
	}
	f.agents[1].Owed, f.agents[1].Overdue, f.agents[2].Queued = 1, 1, 4
	for words, want := range map[string]string{"svc-4": "svc-41", "svc": "svc-04", "overdue": "svc-14",
		"queued": "svc-34"} {
		s := newScreen(t, f, 160, 40)
		s.press("2", "/")
		s.typed(words)
		if got := s.marked(); got != want {
			t.Errorf("/%s has the marker on %q, want %s:\n%s", words, got, want, s.text())
		}
	}
}

func TestAKeyMeansNothingThatIsFilteredAway(t *testing.T) {
	for _, screen := range []string{"2", "3", "4"} {
		s := newScreen(t, busyTeam(), 120, 40)
		s.press(screen, "/")
		s.typed("zzz")
		s.shows("matches /zzz", "0 of ")
		s.press("enter")
		if got := s.m.room.About(); got.Agent != nil || got.Message != "" || got.Thread != nil {
			t.Errorf("on %s the marker is on %+v", screen, got)
		}
		s.press("R", "x", "enter", "S", "y")
		s.did("")
	}
}

func TestHealthHasNoListToFilter(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press("5", "/")
	s.shows("No list to filter here. f finds messages")
	s.press("f")
	s.shows("▸1 Traffic", "words, is: from:")
}

// Anything that has a name is gone to from any screen.
func TestAnythingIsGoneToByName(t *testing.T) {
	for _, from := range []string{"1", "2", "3", "4", "5", "t"} {
		for _, c := range []struct{ letters, shows, marked string }{
			{"rvwr", "▸2 Agents", "▸ ● reviewer"},
			{"storage format", "▸3 Threads", "storage format 2"},
			{"lost", "▸4 Needs you", "∅ lost"},
			{"Three callers", "▸1 Traffic", "Message 5f0c0006"},
			{"5f0c0003", "▸1 Traffic", "Message 5f0c0003"},
		} {
			s := newScreen(t, busyTeam(), 120, 40)
			s.press(from, "'")
			s.shows("Go to an agent")
			s.typed(c.letters)
			s.fits("the names")
			s.press("enter")
			s.shows(c.shows, c.marked)
		}
	}
}

// The list of commands finds agents, after the commands unless one is named in full.
func TestPaletteFindsAgents(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press(":")
	s.hides("reviewer")
	s.typed("reviewer")
	s.shows("1 agent", "▸ reviewer", "agent: idle")
	s.press("enter")
	s.shows("▸2 Agents", "▸ ● reviewer")
}
