package tui

import (
	"slices"
	"strings"
	"testing"
)

func looking(l Look) func(*Options) { return func(o *Options) { o.Look = l } }

func TestAgentColumnsAreThoseOfTheSettings(t *testing.T) {
	f := busyTeam()
	for i := range f.agents {
		f.agents[i].Role, f.agents[i].Unread = "builder", 3
	}

	s := newScreen(t, f, 120, 40, looking(Look{AgentColumns: "waiting, role, branch"}))
	s.press("2")
	heads := strings.Fields(strings.Split(s.text(), "\n")[3])
	want := []string{"agent", "state", "now", "messages", "role"}
	if !slices.Equal(heads[:len(want)], want) {
		t.Errorf("the headings are %q, want %q", heads, want)
	}

	s = newScreen(t, f, 80, 40, looking(Look{AgentColumns: "role, messages, for"}))
	s.press("2")
	if line := strings.Split(s.text(), "\n")[3]; !strings.Contains(line, "role") {
		t.Errorf("the first column got no room: %q", line)
	}
}

func TestTrafficColumnsAreThoseOfTheSettings(t *testing.T) {
	f := newFake()
	f.agent("coder", "idle", 0, 0, "")
	f.say(1, "coder", []string{"tester"}, "hello", "urgent", "read")
	for columns, want := range map[string]string{
		"":                 "▸ 11:48:27 coder → tester ✓✓ !! urgent hello",
		"state":            "▸ ✓✓ hello",
		"route, tag":       "▸ coder → tester !! urgent hello",
		"time":             "▸ 11:48:27 hello",
		"time,state,route": "▸ 11:48:27 coder → tester ✓✓ hello",
	} {
		s := newScreen(t, f, 120, 30, looking(Look{TrafficColumns: columns}))
		if got := strings.TrimSpace(strings.Split(s.text(), "\n")[3]); got != want {
			t.Errorf("%q: the row is %q, want %q", columns, got, want)
		}
	}
}

func TestDetailHasTheSizeOfTheSettings(t *testing.T) {
	for _, test := range []struct {
		w, h      int
		look      Look
		least, to int    // columns, or lines where it is below
		without   string // the screens that have none in so little room
	}{
		{200, 40, Look{DetailWidth: 30}, 56, 62, ""},
		{200, 40, Look{DetailWidth: 70}, 134, 142, ""},
		{100, 40, Look{DetailHeight: 30}, 9, 12, ""},
		{100, 40, Look{DetailHeight: 80}, 27, 31, ""},
		{60, 20, Look{DetailHeight: 80}, 8, 13, "2"},
	} {
		s := newScreen(t, busyTeam(), test.w, test.h, looking(test.look))
		for _, key := range []string{"1", "2", "3", "4"} {
			s.press(key, "g")
			if key == "1" && test.w < 200 { // else it is open
				s.press("enter")
			}
			_, _, paneW, paneH := s.m.room.Shown().(divided).Parts(s.m.layout.Inner, s.m.layout.ScreenH)
			size := paneH
			if test.look.DetailWidth > 0 {
				size = paneW
			}
			if none := key == test.without; none != (paneH == 0) || !none && (size < test.least || size > test.to) {
				t.Errorf("%+v: on screen %s it has %d, want %d to %d", test, key, size, test.least, test.to)
			}
			s.fits(key)
		}
	}
}

// divided is a screen with a list and something next to it.
type divided interface {
	Parts(w, h int) (listW, listH, paneW, paneH int)
}
