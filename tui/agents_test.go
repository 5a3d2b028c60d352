package tui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/room"
)

func TestTroubleComesFirstAndTheRestFolds(t *testing.T) {
	f := busyTeam()
	for range 150 {
		f.agent("a-fine-one", parley.StateIdle, 0, 0, "")
		f.agents[len(f.agents)-1].ID += strings.Repeat("x", len(f.agents))
	}

	s := newScreen(t, f, 100, 30)
	s.press("2")
	text := s.text()
	order := []string{"In trouble 3", "scout", "planner", "tester", "At work 2", "coder"}
	for at := 0; len(order) > 0; order = order[1:] {
		i := strings.Index(text[at:], order[0])
		if i < 0 {
			t.Fatalf("%q does not come next:\n%s", order[0], text)
		}
		at += i
	}

	s.press("z")
	s.hides("a-fine-one")
	s.shows("At work 2  ◐◌", "At rest 151  ●●●")
	s.press("G") // what is folded is one line for the marker
	s.shows("▸ Stopped 1  -")
	s.press("S")
	s.shows(room.WhichAgent)
	s.press("enter")
	s.shows("▸ - old-hand")
	s.press("k", "z")
	s.shows("a-fine-one")
}

func TestGroupsAndHostsFold(t *testing.T) {
	f := busyTeam()
	f.agents[0].Host, f.agents[1].Host = "box", "box"
	s := newScreen(t, f, 120, 40)
	s.press("2", "o", "g", "z")
	s.shows("builders is folded", "▸ builders 2  ", "In no group 5", "reviewer")
	s.hides("● tester")
	s.press("j", "k", "z")
	s.shows("builders is unfolded", "coder", "tester")
	if got, want := s.marked(), "coder"; got != want {
		t.Errorf("the marker is on %q, want %s", got, want)
	}

	s.press("o", "g", "z")
	s.shows("by host", "▸ box 2  ", "On no host 5", "tester")
	s.hides("reviewer  ")
	s.press("/")
	s.typed("review")
	s.shows("reviewer") // a filter shows all that it finds
	s.press("esc", "j") // the marker's agent is shown all the same
	s.hides("● reviewer")
	s.press("o")
	s.shows("by name", "reviewer")
}

func TestAgentsByGroupAndName(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	s.press("2", "o")
	s.shows("builders 2", "In no group 5")
	s.press("o") // on one host
	s.hides("In trouble", "builders")
	s.press("g")
	if got, want := s.marked(), "coder"; got != want {
		t.Errorf("by name the first is %s, want %s", got, want)
	}
}

func TestPreviewIsSafeAndKeepsColours(t *testing.T) {
	s := newScreen(t, busyTeam(), 160, 40)
	s.choose("coder")
	s.shows("live, 120×40", "● Reading parser.go (212 lines)", `+ return fmt.Errorf("line %d: empty body", n)`, "日本語ok")
	content := s.m.View().Content
	for _, not := range []string{"\x1b[2J", "\x1b]0;", "\x1b[5G", "\a"} {
		if strings.Contains(content, not) {
			t.Errorf("%q came through", not)
		}
	}

	if !strings.Contains(content, "\x1b[1;36m● Reading") {
		t.Error("the colours are gone")
	}
	if i := strings.Index(content, "  + }"); i < 0 || !strings.HasSuffix(content[:i], "\x1b[32m") {
		t.Errorf("a colour does not go on over the end of its line: %q", content[max(0, i-20):i])
	}

	s.choose("planner")
	s.shows("last screen, 120×40")
	s.choose("scout")
	s.shows("Its program is not running. R restarts it.")
	s.hides("Reading parser.go")
	s.choose("coder")
	s.press("v")
	s.hides("Reading parser.go")
	s.press("v")
	s.shows("Reading parser.go")
}

func TestPreviewHasNoColoursWithNoColor(t *testing.T) {
	s := newScreen(t, busyTeam(), 160, 40, func(o *Options) { o.NoColor = true })
	s.choose("coder")
	s.shows("Reading parser.go")
	if colour.MatchString(s.m.View().Content) {
		t.Error("the terminal's colours are shown")
	}
}

func TestSafeScreenKeepsOnlyTextAndColours(t *testing.T) {
	for line, want := range map[string]string{
		"plain  text":                           "plain  text",
		"\x1b[1;31mred\x1b[0m it":               "\x1b[1;31mred\x1b[0m it\x1b[m",
		"a\x1b]0;title\x07b\x1b]52;c;eA==\x07c": "abc",
		"a\x1b[2Jb\x1b[10;10Hc\x1bcd":           "abcd",
		"\x1b[>4mx\x1b[?25lx":                   "xx",
		"a\tb\x07\x9b31mc":                      "a    b31mc", // no valid text, and no sequence in UTF-8
		// terminals differ in the width of joined characters
		"日本 👩‍👩‍👧 \u202egnp": "日本 👩👩👧 <U+202E>gnp",
	} {
		if got := agents.SafeScreen([]string{line}, 80); got[0] != want {
			t.Errorf("%q is shown as %q, want %q", line, got[0], want)
		}
	}

	got := agents.SafeScreen([]string{"a\x1b[32mb", "c\x1b[md", "e"}, 80)
	if want := []string{"a\x1b[32mb\x1b[m", "\x1b[32mc\x1b[md\x1b[m", "e"}; !slices.Equal(got, want) {
		t.Errorf("a colour goes on as %q, want %q", got, want)
	}
}

// What is wider than the room for it is not cut: gaps and rules become shorter, and the rest goes on below.
func TestWrapScreenCutsNothing(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"short", []string{"short"}},
		{"one two three four five", []string{"one two three", "four five"}},
		{"\x1b[31mone two three four\x1b[m", []string{"\x1b[31mone two three\x1b[m", "\x1b[31mfour\x1b[m"}},
		{strings.Repeat("─", 40), []string{strings.Repeat("─", 14)}},
		{"╭" + strings.Repeat("─", 40) + "╮", []string{"╭" + strings.Repeat("─", 12) + "╮"}},
		{"│ text" + strings.Repeat(" ", 40) + "│", []string{"│ text       │"}},
		{"❯ hi" + strings.Repeat(" ", 40) + "82k", []string{"❯ hi       82k"}},
		{"aaaaaaaaaaaaaaaaaaaaaaaa", []string{"aaaaaaaaaaaaaa", "aaaaaaaaaa"}},
	} {
		if got := agents.WrapScreen([]string{c.line}, 14); !slices.Equal(got, c.want) {
			t.Errorf("%q is shown as %q, want %q", c.line, got, c.want)
		}
	}
}

func FuzzSafeScreen(f *testing.F) {
	for _, p := range pieces {
		f.Add(strings.Repeat(p, 5), 9)
	}

	f.Add("\x1b[38;5;3mab\x1b[mc\x1b[1;1Hd\x1bPq#0~\x1b\\e", 40)
	f.Fuzz(func(t *testing.T, line string, w int) {
		w = kit.Clamp(w, 1, 300)
		for _, got := range append(agents.SafeScreen([]string{line, "next"}, w),
			agents.WrapScreen([]string{line, "next"}, max(w, 2))...) {
			if kit.Width(got) > max(w, 2) {
				t.Errorf("%q takes %d columns, want %d", got, kit.Width(got), w)
			}
			if plain := ansi.Strip(got); strings.ContainsAny(plain, "\x1b\n\r\a\u009b") {
				t.Errorf("%q became %q", line, plain)
			}
		}
	})
}
