package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// prepare brings the screen to where keys of a scope mean something, with room
// to move both ways.
var prepare = map[kit.Scope][]string{
	kit.InShell:                      {"/", "e", "enter", "k", "k", "p", "y", "k"},
	room.InTraffic:                   {"/", "e", "enter", "k", "k"},
	room.ScreenScope(room.AtAgents):  {"2", "j"},
	room.ScreenScope(room.AtThreads): {"3", "enter"},
	room.ScreenScope(room.AtNeeds):   {"4", "j", "j"},
	room.InHealth:                    {"5"},
	room.InCompose:                   {"b", "h", "i"},
	room.InTo:                        {"w", "c", "o"},
	room.InPalette:                   {":", "e", "down"},
	room.InFilter:                    {"f", "i"},
	room.InList:                      {"2", "/", "e", "down"},
	room.InHelp:                      {"?", "j"},
	room.InConfirm:                   {"2", "S"},
	room.InPrompt:                    {"3", "+", "h", "i"},
	room.InAnswer:                    {"4", "enter"},
	room.InTiles:                     {"t", "tab"},
	room.InLaunch:                    {"L", "tab", "tab", "tab", "tab"},

	room.InReview:     {"'", "c", "o", "d", "e", "r", "enter", "d", "n", "j"},
	room.InMerge:      {"'", "c", "o", "d", "e", "r", "enter", "d", "m"},
	room.InWorkspaces: {"W", "k"},
	room.InPast:       {"H", "down"},
	room.InPlanned:    {"P", "enter", "down"},
}

func TestEveryKeyDoesSomething(t *testing.T) {
	drawsALot(t)
	for _, b := range bindings() {
		for _, key := range b.Keys {
			t.Run(fmt.Sprintf("%s/%s", scopeName(b.Scope), key), func(t *testing.T) {
				team := busyTeam()
				if b.Scope == room.InAnswer {
					team.asks(permission())
				}
				s := newScreen(t, team, 60, 20)
				s.press(prepare[b.Scope]...)
				if b.Scope == kit.InShell && (key == "1") {
					s.press("2")
				}
				if got := s.m.scope(); got != b.Scope &&
					(got != kit.InShell || room.ScreenScope(s.m.room.At) != b.Scope) {
					t.Fatalf("keys go to %v, want %v", got, b.Scope)
				}
				if b.Scope == room.ScreenScope(room.AtNeeds) && key == "esc" {
					s.press("tab")
				}

				before := s.state()
				s.press(key)
				if s.state() == before {
					t.Errorf("%s (%s) changed nothing:\n%s", key, b.Does, s.text())
				}

				s.fits(key)
			})
		}
	}
}

// scopeName is how the help names a scope.
func scopeName(of kit.Scope) string { return room.ScopeNames[of] }

// state is all that a key can change.
func (s *stage) state() string {
	v := s.m.View()
	return fmt.Sprint(v.Content, v.Cursor, s.m.scope(), s.attached, s.service.sent, s.service.casts, s.service.stopped,
		s.service.retried, s.service.pleas, s.service.launched, s.quit)
}

// modeOf is what keys are for in a scope.
func modeOf(s kit.Scope) verb.Mode {
	switch s {
	case room.InConfirm, room.InAnswer, room.InMerge:
		return verb.Questions
	case room.InCompose:
		return verb.Message
	case room.InTo, room.InPalette, room.InFilter, room.InList, room.InPrompt, room.InLaunch, room.InPast:
		return verb.Lines
	}
	return verb.Lists
}

// A key has one verb wherever keys are for the same, and a verb has its keys wherever it is.
func TestAKeyMeansOneThing(t *testing.T) {
	known, used := map[string]verb.Row{}, map[string]bool{}
	for _, r := range verb.All() {
		if known[r.Name].Name != "" {
			t.Errorf("two verbs are %s", r.Name)
		}
		known[r.Name] = r
	}

	means, keys := map[string]string{}, map[string]string{}
	for _, b := range bindings() {
		for _, name := range b.Verbs {
			used[name] = true
			r, mode := known[name], modeOf(b.Scope)
			borrowed := mode == verb.Questions && r.Mode == verb.Lists || mode == verb.Message && r.Mode == verb.Lines
			if r.Mode != mode && !borrowed {
				t.Errorf("%q is no verb for %s", name, scopeName(b.Scope))
			}
		}

		for _, key := range b.Keys {
			of := ""
			for _, name := range b.Verbs {
				if slices.Contains(verb.Named(name).To("", nil).Keys, key) {
					of = name
				}
			}
			at := fmt.Sprint(known[of].Mode, key)
			if of == "" || means[at] != "" && means[at] != of {
				t.Errorf("%s in %q is %q, and elsewhere %q", key, scopeName(b.Scope), of, means[at])
			}
			means[at] = of
		}

		if len(b.Verbs) == 1 && b.Verbs[0] != "choose" {
			if keys[b.Verbs[0]] != "" && keys[b.Verbs[0]] != b.Show {
				t.Errorf("%q is %s, and elsewhere %s", b.Verbs[0], b.Show, keys[b.Verbs[0]])
			}
			keys[b.Verbs[0]] = b.Show
		}
	}

	for name := range known {
		if !used[name] {
			t.Errorf("no key is for %q", name)
		}
	}
}

func TestNoKeyMeansTwoThings(t *testing.T) {
	seen := map[string]string{}
	for _, b := range bindings() {
		for _, key := range b.Keys {
			if b.Scope >= room.InTraffic && b.Scope <= room.InHealth && bound(kit.InShell, key) != nil {
				t.Errorf("%s means something everywhere, and %q on %s", key, b.Does, scopeName(b.Scope))
			}

			at := fmt.Sprint(b.Scope, key)
			if seen[at] != "" {
				t.Errorf("%s in %q both %q and %q", key, scopeName(b.Scope), seen[at], b.Does)
			}

			seen[at] = b.Does
		}
	}
}

// What ends or changes something for good asks first, wherever its key is.
func TestDangerousKeysAsk(t *testing.T) {
	drawsALot(t)
	for _, b := range bindings() {
		if len(b.Verbs) == 0 || !verb.Named(b.Verbs[0]).Row().Asks {
			continue
		}

		s := newScreen(t, busyTeam(), 120, 30)
		if b.Scope != kit.InShell {
			s.press(prepare[b.Scope]...)
		}
		if b.Scope == room.ScreenScope(room.AtAgents) {
			s.choose("coder") // it runs
		}
		s.press(b.Keys[0])
		if s.m.room.Keys.Confirm == nil && !s.m.review.Asks() { // how to merge
			t.Errorf("%s (%s) in %q does not ask:\n%s", b.Keys[0], b.Does, scopeName(b.Scope), s.text())
		}
		s.did("")
	}
}

// Commands work on a keyboard of another script, and text stays as it is written.
func TestKeysWorkOnOtherLayouts(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.press("2")
	s.typed("Ы")
	s.shows("Stop")
	s.typed("т")
	if s.m.room.Keys.Confirm != nil {
		t.Error("the place of n does not answer no")
	}
	s.typed("с")
	s.typed("привет")
	if got := s.box(); got != "привет" {
		t.Errorf("the box has %q", got)
	}
	s.send(tea.KeyPressMsg{Code: 'с', Mod: tea.ModCtrl, BaseCode: 'c'})
	if s.m.compose.Open {
		t.Error("ctrl+c does not close the box")
	}
}

func TestHelpListsEveryKey(t *testing.T) {
	drawsALot(t)
	s := newScreen(t, busyTeam(), 200, 130)
	s.press("?")
	for _, b := range bindings() {
		s.shows(b.Does, b.Show)
	}
	s = newScreen(t, busyTeam(), 60, 20)
	s.press("?")
	for range len(bindings()) {
		s.press("pgdown")
	}
	s.shows(bindings()[len(bindings())-1].Does)
}

// The first page has about fifteen keys, all of them bound and in view in the
// smallest terminal.
func TestFirstHelpPageIsShort(t *testing.T) {
	if n := len(essentials); n > 15 {
		t.Errorf("there are %d to be learnt", n)
	}

	s := newScreen(t, busyTeam(), kit.MinWidth, kit.MinHeight)
	s.press("3", "?")
	for _, e := range essentials {
		s.shows(e.Does)
		for _, key := range e.Keys {
			known := false
			for at := kit.InShell; at <= room.InHealth; at++ {
				known = known || bound(at, key) != nil
			}

			if !known {
				t.Errorf("%s does nothing", key)
			}
		}
	}
}

func TestKeyLineAlwaysShowsHelpAndQuit(t *testing.T) {
	for w := kit.MinWidth; w < 130; w++ {
		s := newScreen(t, busyTeam(), w, 24)
		lines := strings.Split(s.text(), "\n")
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, "? help  q quit") {
			t.Errorf("at %d columns the last line is %q", w, last)
		}
	}
}

func TestMotionsWorkOnEveryScreen(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 24)
	s.press("2", "G")
	if got, want := s.marked(), "old-hand"; got != want {
		t.Errorf("G in agents: %s, want %s", got, want)
	}

	s.press("g", "j")
	if got, want := s.marked(), "planner"; got != want {
		t.Errorf("g and j in agents: %s, want %s", got, want)
	}

	s.press("1", "g")
	if got, want := s.m.traffic.Records.Shown.Sel.From, "planner"; got != want {
		t.Errorf("g in traffic: %s, want %s", got, want)
	}

	s.press("tab", "pgdown")
	if s.m.traffic.Detail.Top == 0 {
		t.Errorf("a page down did not scroll the message:\n%s", s.text())
	}

	s.press("G")
	s.shows("end")
	s.press("enter")
	if s.m.traffic.Detail.Open || strings.Contains(s.text(), "▸ Message") {
		t.Error("enter did not close the message")
	}
	if got := parley.Short(s.m.traffic.Detail.ID); got != "5f0c0001" {
		t.Errorf("moving in the message left it for %s", got)
	}

	s.press("4", "G")
	if got, want := parley.Short(s.m.needs.About().Message), "5f0c0007"; got != want {
		t.Errorf("G in needs: about %q, want %q", got, want)
	}
}

// A terminal sends two quick escapes as one key.
func TestTwoEscapesAtOnceGoBackTwice(t *testing.T) {
	for _, keys := range [][]string{
		{":", "s", "t", "e", "enter"}, {"/", "c", "o", "enter", "enter"}, {"3", "enter", "c", "h", "i"},
		{"3", "enter", "?"}, {"3", "enter", "k", "+", "x"}, {"k", "enter", "tab"}, {"w", "c"}, {"2", "S"},
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

// Where there is nothing to do a key says so, unless it moves the marker, goes back,
// or leads to the screen that is shown.
func TestEveryKeyAnswersOnAnEmptyScreen(t *testing.T) {
	drawsALot(t)
	for at := range room.Places {
		for _, b := range bindings() {
			if b.Scope != kit.InShell && b.Scope != room.ScreenScope(at) {
				continue
			}

			for _, key := range b.Keys {
				s := newScreen(t, newFake(), 60, 20)
				s.press(fmt.Sprint(int(at) + 1))
				before := s.state()
				s.press(key)
				_, _, moves := strings.Cut(" up k down j pgup ctrl+u pgdown ctrl+d g home G end esc ", " "+key+" ")
				here := slices.Contains(bound(kit.InShell, fmt.Sprint(int(at)+1)).Keys, key)
				if s.state() == before && !moves && !here &&
					!(b.Scope == room.ScreenScope(room.AtNeeds) && key == "tab") {
					t.Errorf("%s on %s (%s) changed nothing:\n%s", key, s.m.room.Shown().Title(), b.Does, s.text())
				}

				s.fits(key)
			}
		}
	}
}

// nothingToDo are the beginnings of the notices of a key that had nothing to do.
var nothingToDo = []string{
	"No ", "Choose an agent", "This went to several", "Nothing", "Only its", "It disappears",
	"Guidance has", "Guidance goes", "The recipient",
}

// A key in the key line does more than say that there is nothing to do, on each
// screen, in each box, full and with details in focus.
func TestKeyLineShowsOnlyUsefulKeys(t *testing.T) {
	drawsALot(t)
	for _, keys := range [][]string{
		{"1"}, {"1", "k", "enter"}, {"1", "k", "tab"}, {"1", "/"}, {"1", "/", "c"}, {"2"}, {"2", "G"}, {"2", "v"},
		{"3"}, {"3", "j"}, {"3", "enter"}, {"3", "enter", "k"}, {"3", "enter", "g"}, {"4"}, {"4", "tab"}, {"4", "G"},
		{"5"}, {"?"}, {":"}, {":", "r", "e", "a", "d", "_", "t", "enter"}, {"b", "x"}, {"1", "r", "x"}, {"2", "c", "x"},
		{"2", "s", "x"}, {"3", "c", "x"}, {"3", "enter", "k", "r", "x"}, {"w", "c", "o"}, {"3", "+"}, {"3", "O", "x"},
		{"2", "S"},
	} {
		now := func() *stage {
			s := newScreen(t, busyTeam(), 300, 40)
			s.press(keys...)
			return s
		}

		s := now()
		in := []kit.Scope{s.m.scope()}
		if in[0] == kit.InShell {
			in = []kit.Scope{room.ScreenScope(s.m.room.At), kit.InShell}
		}

		line := strings.Split(s.text(), "\n")[39]
		for _, b := range bindings() {
			first, _, _ := strings.Cut(b.Show, " ")
			if !slices.Contains(in, b.Scope) || b.Hint == "" || !strings.Contains(line, first+" "+b.Hint) {
				continue
			}

			s := now()
			before := s.state()
			s.press(b.Keys[0])
			if s.state() == before && keys[len(keys)-1] != "+" { // nothing is written yet
				t.Errorf("after %q: %s (%s) changed nothing:\n%s", keys, b.Keys[0], b.Hint, s.text())
			}

			for _, no := range nothingToDo {
				if strings.HasPrefix(s.m.room.Status.Text, no) {
					t.Errorf("after %q: %s (%s) is in the key line and says %q", keys, b.Keys[0], b.Hint,
						s.m.room.Status.Text)
				}
			}
		}
	}
}

// Each key changes the draft, or says why it cannot.
func TestWritingKeysChangeTheDraft(t *testing.T) {
	for _, c := range []struct {
		open  []string
		key   string
		times int
		shows string
	}{
		{[]string{"b"}, "enter", 1, "Nothing to send yet."},
		{[]string{"b", "x"}, "ctrl+p", 1, "priority high"},
		{[]string{"b", "x"}, "ctrl+p", len(room.Priorities), "priority normal"},
		{[]string{"b", "x"}, "ctrl+r", 1, "answer within 10m"},
		{[]string{"b", "x"}, "ctrl+r", len(room.Dues), "answer not required"},
		{[]string{"b", "x"}, "ctrl+o", 1, "x edited"},
		{[]string{"b", "x"}, "esc", 1, "Draft kept."},
		{[]string{"b", "x"}, "enter", 1, "Sent to all agents"},
		{[]string{"2", "c"}, "tab", 1, "tab complete"},
		{[]string{"3", "c"}, "tab", 1, "The recipient is fixed here. w writes to others."},
		{[]string{"1", "r"}, "tab", 1, "w writes to others."},
		{[]string{"2", "s"}, "tab", 1, "Guidance goes to one agent."},
		{[]string{"2", "s"}, "ctrl+p", 1, "Guidance has high priority"},
		{[]string{"2", "s"}, "ctrl+r", 1, "requires no answer"},
		{[]string{"w", "c", "o", "d"}, "tab", 1, "to coder, "},
		{[]string{"w", "c", "o", "d"}, "enter", 1, "enter send"},
		{[]string{"3"}, "x", 1, "Nothing unread in it."},
		{[]string{"2"}, "z", 1, "z unfolds them"},
		{[]string{"2"}, "z", 2, "All agents are shown."},
		{[]string{"4", "tab"}, "esc", 1, "▸ Needs you"},
	} {
		s := newScreen(t, busyTeam(), 120, 30)
		s.press(c.open...)
		for range c.times {
			s.press(c.key)
		}

		if !strings.Contains(s.text(), c.shows) {
			t.Errorf("%d times %s after %q does not show %q:\n%s", c.times, c.key, c.open, c.shows, s.text())
		}
	}
}

// The help is not cut in one column, or in two of the least width.
func TestHelpIsNotCut(t *testing.T) {
	for _, b := range bindings() {
		if room := 56 - 14; kit.Width(b.Does) > room || kit.Width(b.Show) > 12 {
			t.Errorf("%s %q is cut to %d columns", b.Show, b.Does, room)
		}
	}
}
