package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/must"
	"parley/program/profile"
)

// styles are ways to draw text: those of hints, and those of what a person types.
var styles = []struct {
	codes string
	hint  bool
}{
	{"2", true}, {"2;3", true}, {"90", true}, {"38;5;8", true}, {"38;5;246", true}, {"38;5;103", true},
	{"38;2;88;88;88", true}, {"38;2;128;128;128", true}, {"38;2;138;138;138", true},
	{"", false}, {"1", false}, {"39", false}, {"37", false}, {"97", false}, {"31", false}, {"34", false},
	{"38;5;15", false}, {"38;5;231", false}, {"38;5;255", false}, {"38;5;183", false}, {"38;5;153", false},
	{"38;5;0", false},
	{"38;2;238;238;238", false}, {"38;2;26;26;26", false}, {"38;2;205;214;244", false}, {"38;2;255;128;0", false},
	{"48;5;240", false}, {"22", false},
}

// What stands behind the cursor and is drawn as hints are is no draft, whatever stands before the cursor; all else is.
func TestHintBehindTheCursorIsNoDraft(t *testing.T) {
	p := find(t, builtin(t), "claude")
	rule := strings.Repeat("─", 60)
	for _, typed := range []string{"", "hel", "mine\n  own"} {
		for _, shown := range []string{"fix the lint errors", "x y", "run it\n  and tell me"} {
			for _, style := range styles {
				for _, cursor := range []string{"", "7", "7;2"} {
					name := fmt.Sprintf("%q, then %q as %q with a cursor as %q", typed, shown, style.codes, cursor)
					rows := strings.Split(typed+draw(shown, style.codes, cursor), "\n")
					coloured := append(append([]string{rule}, rows...), "\x1b[0m"+rule, "  ? for shortcuts")
					coloured[1] = "\x1b[39m❯\u00a0" + coloured[1]

					before := strings.Split(typed, "\n")
					y, x := len(before), ansi.StringWidth(before[len(before)-1])
					if y == 1 {
						x += 2
					}
					s := profile.Screen{Width: 60, CursorX: x, CursorY: y, Colours: coloured}
					for _, row := range coloured {
						s.Lines = append(s.Lines, strings.TrimRight(ansi.Strip(row), " "))
					}

					want := strings.ReplaceAll(typed, "\n  ", "\n")
					if !style.hint {
						want = strings.ReplaceAll(typed+shown, "\n  ", "\n")
					}
					if got, ok := p.Composer(s); !ok || got != want {
						t.Errorf("%s: got %q, %v, want %q", name, got, ok, want)
					}
					s.Colours = nil
					if got, _ := p.Composer(s); got != strings.ReplaceAll(typed+shown, "\n  ", "\n") {
						t.Errorf("%s: without colours got %q", name, got)
					}
				}
			}
		}
	}
}

// draw draws a text, with the first cell as a cursor.
func draw(text, codes, cursor string) string {
	if cursor == "" {
		return "\x1b[" + codes + "m" + text
	}
	return "\x1b[" + cursor + "m" + text[:1] + "\x1b[0m\x1b[" + codes + "m" + text[1:]
}

// Some programs draw a hint word by word, and its blanks as they draw anything.
func TestBlanksWithinAHintNeedNoColour(t *testing.T) {
	p := find(t, builtin(t), "claude")
	rule := strings.Repeat("─", 60)
	for shown, want := range map[string]string{
		"\x1b[2mfix\x1b[0m \x1b[2mthe\x1b[0m  \x1b[2mlint\x1b[0m":      "",
		"\x1b[2m世界\x1b[0m \x1b[2mé\x1b[0m \x1b[2merrors\x1b[0m":        "",
		"\x1b[2mfix\x1b[0m \x1b[2mthe\x1b[0m lint":                     "fix the lint",
		"\x1b[2mrun it\x1b[0m\n  \x1b[2mand\x1b[0m \x1b[2mtell\x1b[0m": "",
		"\x1b[2mrun it\x1b[0m\n  a":                                    "run it\na",
		"\x1b[2mrun it\x1b[0m\n  a\x1b[2m bit\x1b[0m":                  "run it\na bit",
	} {
		s := profile.Screen{Width: 60, CursorX: 2, CursorY: 1}
		for row := range strings.SplitSeq(rule+"\n❯ "+shown+"\n"+rule+"\n  ? for shortcuts", "\n") {
			s.Colours = append(s.Colours, row)
			s.Lines = append(s.Lines, strings.TrimRight(ansi.Strip(row), " "))
		}
		if got, ok := p.Composer(s); !ok || got != want {
			t.Errorf("%q: got %q, %v, want %q", shown, got, ok, want)
		}
	}
}

// What a person has typed is their draft wherever the cursor is, also where something is suggested behind it.
func TestDraftWithTheCursorAtItsBeginIsADraft(t *testing.T) {
	p := find(t, builtin(t), "claude")
	rule := strings.Repeat("─", 60)
	s := profile.Screen{Width: 60, CursorX: 2, CursorY: 1, Lines: []string{rule, "❯ my own words and more", rule},
		Colours: []string{rule, "❯ \x1b[7mm\x1b[0my own words\x1b[2m and more\x1b[0m", rule}}
	if got, _ := p.Composer(s); got != "my own words and more" {
		t.Errorf("got %q", got)
	}
}

// The screens with colours are in testdata/PROFILE/SIZE-WHAT.ansi.
func TestComposersOfRealProgramsAreReadWithTheirColours(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/*/*.ansi"))(t)
	seen := map[string]int{}
	for _, file := range files {
		want, coloured := readGolden(t, file)
		s := profile.Screen{Width: want.Width, CursorX: want.CursorX, CursorY: want.CursorY, Colours: coloured}
		for _, row := range coloured {
			s.Lines = append(s.Lines, strings.TrimRight(ansi.Strip(row), " "))
		}

		name := filepath.Base(filepath.Dir(file))
		seen[name]++
		text, ok := find(t, builtin(t), name).Composer(s)
		if !ok || want.Composer == nil || text != *want.Composer {
			t.Errorf("%s: got %q, %v", file, text, ok)
		}
	}

	for _, name := range []string{
		"claude", "codex", "copilot", "gemini", "opencode", "qwen", "pi", "kilo", "grok", "omp", "kimi", "cline",
	} {
		if seen[name] < 2 {
			t.Errorf("%d screens of %s", seen[name], name)
		}
	}
	if _, err := os.Stat("testdata/claude/120x40-suggestion.ansi"); err != nil || !slices.IsSorted(files) {
		t.Error(err)
	}
}
