package tui

import (
	"fmt"
	"strings"
	"testing"

	"parley"
)

// prepare brings the screen to where keys of a scope mean something, with room
// to move both ways.
var prepare = map[scope][]string{
	inShell:   {"/", "e", "enter", "k", "k", "p", "k"},
	inTraffic: {"/", "e", "enter", "k", "k"},
	inAgents:  {"2", "j"},
	inThreads: {"3", "enter"},
	inNeeds:   {"4", "j", "j"},
	inHealth:  {"5"},
	inCompose: {"b", "h", "i"},
	inTo:      {"w", "c", "o"},
	inPalette: {":", "e", "down"},
	inFilter:  {"/", "e"},
	inHelp:    {"?", "j"},
	inConfirm: {"2", "S"},
	inPrompt:  {"3", "+", "h", "i"},
}

func TestEveryKeyDoesSomething(t *testing.T) {
	for _, b := range bindings() {
		for _, key := range b.keys {
			t.Run(fmt.Sprintf("%s/%s", scopeNames[b.scope], key), func(t *testing.T) {
				s := newScreen(t, busyTeam(), 60, 20)
				s.press(prepare[b.scope]...)
				if b.scope == inShell && (key == "1" || key == "T") {
					s.press("2")
				}
				if got := s.m.scope(); got != b.scope && (got != inShell || screenScope(s.m.at) != b.scope) {
					t.Fatalf("keys go to %v, want %v", got, b.scope)
				}
				before := s.state()
				s.press(key)
				if s.state() == before {
					t.Errorf("%s (%s) changed nothing:\n%s", key, b.does, s.text())
				}
				s.fits(key)
			})
		}
	}
}

// state is all that a key can change.
func (s *stage) state() string {
	v := s.m.View()
	return fmt.Sprint(v.Content, v.Cursor, s.m.scope(), s.attached, s.service.sent, s.service.casts, s.service.stopped, s.service.retried, s.service.pleas, s.quit)
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	seen := map[string]string{}
	for _, b := range bindings() {
		for _, key := range b.keys {
			if b.scope >= inTraffic && b.scope <= inHealth && bound(inShell, key) != nil {
				t.Errorf("%s means something everywhere, and %q on %s", key, b.does, scopeNames[b.scope])
			}
			at := fmt.Sprint(b.scope, key)
			if seen[at] != "" {
				t.Errorf("%s in %q both %q and %q", key, scopeNames[b.scope], seen[at], b.does)
			}
			seen[at] = b.does
		}
	}
}

func TestHelpTellsEveryKey(t *testing.T) {
	s := newScreen(t, busyTeam(), 200, 80)
	s.press("?")
	for _, b := range bindings() {
		s.shows(b.does, b.show)
	}
	s = newScreen(t, busyTeam(), 60, 20)
	s.press("?")
	for range len(bindings()) {
		s.press("pgdown")
	}
	s.shows(bindings()[len(bindings())-1].does)
}

// TestTheFirstPageIsLearntInAMinute: about fifteen keys, all in view in the smallest
// terminal, and each of them a key indeed.
func TestTheFirstPageIsLearntInAMinute(t *testing.T) {
	if n := len(essentials); n > 15 {
		t.Errorf("there are %d to be learnt", n)
	}
	s := newScreen(t, busyTeam(), minWidth, minHeight)
	s.press("3", "?")
	for _, e := range essentials {
		s.shows(e.does)
		for _, key := range e.keys {
			known := false
			for at := inShell; at <= inHealth; at++ {
				known = known || bound(at, key) != nil
			}
			if !known {
				t.Errorf("%s does nothing", key)
			}
		}
	}
}

func TestKeyLineAlwaysTellsHelpAndQuit(t *testing.T) {
	for w := minWidth; w < 130; w++ {
		s := newScreen(t, busyTeam(), w, 24)
		lines := strings.Split(s.text(), "\n")
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, "? help  q quit") {
			t.Errorf("at %d columns the last line is %q", w, last)
		}
	}
}

func TestMovesWithinEveryScreen(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 24)
	s.press("2", "G")
	if got, want := s.m.agents.selected().Name, "old-hand"; got != want {
		t.Errorf("G in agents: %s, want %s", got, want)
	}
	s.press("g", "j")
	if got, want := s.m.agents.selected().Name, "planner"; got != want {
		t.Errorf("g and j in agents: %s, want %s", got, want)
	}
	s.press("1", "g")
	if got, want := s.m.traffic.sel.from, "planner"; got != want {
		t.Errorf("g in traffic: %s, want %s", got, want)
	}
	s.press("tab", "pgdown")
	if s.m.traffic.detail.top == 0 {
		t.Errorf("a page down did not scroll the message:\n%s", s.text())
	}
	s.press("G")
	s.shows("end")
	s.press("enter")
	if s.m.traffic.detail.open || s.m.traffic.inDetail {
		t.Error("enter did not close the message")
	}
	if got := parley.Short(s.m.traffic.detail.id); got != "5f0c0001" {
		t.Errorf("moving in the message left it for %s", got)
	}
	s.press("4", "G")
	if got, want := parley.Short(s.m.needs.about().message), "5f0c0007"; got != want {
		t.Errorf("G in needs: about %q, want %q", got, want)
	}
}

// TestTwoHurriedEscapesGoBackTwice, as two do: a terminal sends both at once.
func TestTwoHurriedEscapesGoBackTwice(t *testing.T) {
	for _, keys := range [][]string{
		{":", "s", "t", "e", "enter"}, {"/", "c", "o", "enter", "enter"}, {"3", "enter", "c", "h", "i"}, {"3", "enter", "?"}, {"3", "enter", "k", "+", "x"},
		{"k", "enter", "tab"}, {"w", "c"}, {"2", "S"},
	} {
		two, one := newScreen(t, busyTeam(), 120, 40), newScreen(t, busyTeam(), 120, 40)
		two.press(keys...)
		one.press(keys...)
		before := one.state()
		two.press("esc", "esc")
		one.press("alt+esc")
		if one.state() == before || one.state() != two.state() {
			t.Errorf("after %q it shows:\n%s\nwant:\n%s", keys, one.text(), two.text())
		}
	}
}
