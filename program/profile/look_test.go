package profile_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

func TestLookPrefersDialogToBusyToIdleInTheLastLines(t *testing.T) {
	set := must.Have(builtin(t).With("marked", []byte("markers: {dialog: '^ask$', busy: '^work$', idle: '^>'}")))(t)

	p := find(t, set, "marked")
	for screen, want := range map[string]profile.State{
		"> \nwork\nask": profile.Dialog,
		"ask\nwork\n> ": profile.Dialog,
		"> \nwork":      profile.Busy,
		"work hard\n>":  profile.Idle,
		"ask\n" + strings.Repeat("line\n\n", 19) + "> ":     profile.Idle,   // the 21st from below
		"ask\n" + strings.Repeat("line\n\n", 18) + "> \n\n": profile.Dialog, // the 20th
		"what?": profile.Unknown,
		"":      profile.Unknown,
	} {
		if got := p.Look(strings.Split(screen, "\n")); got != want {
			t.Errorf("%q: got %v, want %v", screen, got, want)
		}
	}
}

// A model that does not answer leaves Claude Code at work. What it says of that stands above an empty composer.
func TestAProgramWhoseModelIsSilentWorks(t *testing.T) {
	rule := strings.Repeat("─", 40)
	for row, want := range map[string]profile.State{
		"✻ Waiting for API response · will retry in 2m 0s · check your network": profile.Busy,
		"✳ Waiting for API response · will retry in 1s":                         profile.Busy,
		"● Waiting for API response · will retry in 1s":                         profile.Idle, // its model says so
		"✻ Cooked for 3s": profile.Idle,
	} {
		screen := []string{"❯ hello", "", row, "", rule, "❯ ", rule, "  ⏸ manual mode on · esc to interrupt"}
		if got := find(t, builtin(t), "claude").Look(screen); got != want {
			t.Errorf("%s: it is %s, want %s", row, got, want)
		}
	}
}

// composerCase is a screen, where its cursor is, and the text in its composer.
type composerCase struct {
	screen string
	x, y   int
	want   string
	ok     bool
}

// wantComposer checks what a profile finds in the composers of screens.
func wantComposer(t *testing.T, width int, change string, tests []composerCase) {
	t.Helper()
	p := find(t, must.Have(builtin(t).With("boxed", []byte(change)))(t), "boxed")
	for _, test := range tests {
		got, ok := p.Composer(
			profile.Screen{Lines: strings.Split(test.screen, "\n"), Width: width, CursorX: test.x, CursorY: test.y},
		)
		if got != test.want || ok != test.ok {
			t.Errorf("%q: got %q, %v, want %q, %v", test.screen, got, ok, test.want, test.ok)
		}
	}
}

func TestComposerMarkerTakesTheLowestMatchAndCanBeAbsent(t *testing.T) {
	wantComposer(t, 10, "markers: {composer: '^---\\n> ?(?P<text>(?:.*\\n)*?)---$', empty: '^hint$'}", []composerCase{
		{"---\n> old\n---\ntalk\n---\n> new\n  text\n---", 0, 0, "new\ntext", true},
		{"---\n> 12345678\n  9\n---", 3, 2, "123456789", true}, // wrapped
		{"---\n> 1234567\n  9\n---", 3, 2, "1234567 9", true},  // wrapped at a blank
		{"---\n> 123456界\n  界\n---", 4, 2, "123456界界", true},   // ends at the edge
		{"---\n> 12345界\n  界\n---", 4, 2, "12345界界", true},     // one column too narrow for the next
		{"---\n> hint\n---", 2, 1, "", true},
		{"---\n> hint\n---", 6, 1, "hint", true}, // typed
		{"---\n>\n---", 2, 1, "", true},
		{"nothing\n> here", 0, 0, "", false},
	})
}

func TestComposerDropsItsFrameAndTheSidebar(t *testing.T) {
	const framed = `markers: {composer: '^ *┃ (?P<text>(?:.*\n *┃)*?.*)\n *(?P<frame>╹▀+)', empty: '^hint', cursor: ` +
		`true}`
	wantComposer(t, 80, framed, []composerCase{
		{"talk\n  ┃ one      side\n  ┃  two     bar\n  ╹▀▀▀▀▀▀▀  of it", 7, 1, "one\n two", true},
		{"  ┃ one\n  ┃\n  ┃ three\n  ╹▀▀▀▀▀▀▀", 9, 2, "one\n\nthree", true},
		{"  ┃ 123456\n  ┃ 78\n  ╹▀▀▀▀▀▀▀", 6, 1, "12345678", true}, // wrapped at the frame's edge
		{"  ┃ 1234567\n  ╹▀▀▀▀▀▀▀", 6, 0, "123456", true},
		{"  ┃ one │ two\n  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀", 6, 0, "one │ two", true}, // a bar of the text's own
		{"  ┃ hint\u200b\n  ╹▀▀▀▀▀▀▀", 4, 0, "", true},
		{"  ┃ text\u200b\n  ╹▀▀▀▀▀▀▀", 4, 0, "text", true},
		{"menu\n  ┃ one\n  ╹▀▀▀▀▀▀▀", 2, 0, "", false}, // the cursor is elsewhere
		{"  ┃ one\n  ╹▀▀▀▀▀▀▀\nmenu", 2, 2, "", false},
	})
}

// However tall a terminal is, the scroll bar of a program hides nothing of what it shows.
func TestAScrollBarHidesNoState(t *testing.T) {
	set := builtin(t)
	files := must.Have(filepath.Glob("testdata/*/*.txt"))(t)
	grown := 0
	for _, file := range files {
		want, lines := readGolden(t, file)
		p := find(t, set, filepath.Base(filepath.Dir(file)))
		at := slices.IndexFunc(lines, func(row string) bool {
			return strings.TrimSpace(row) == "█" && strings.HasPrefix(row, strings.Repeat(" ", 20))
		})
		if at < 0 {
			continue
		}
		grown++
		tall := slices.Insert(slices.Clone(lines), at, slices.Repeat([]string{lines[at]}, 40)...)
		if got := p.Look(tall); got != want.State {
			t.Errorf("%s with 40 more rows looks %s, want %s", file, got, want.State)
		}
	}
	if grown < 3 {
		t.Errorf("%d screens have a scroll bar", grown)
	}
}

// A question that is taller than the rows in which a state is looked for is not known, and holds messages: it is never
// taken for rest or work. Crush draws its questions over a screen that goes on below them.
func TestATallQuestionIsNeitherRestNorWork(t *testing.T) {
	set := builtin(t)
	questions := 0
	for _, file := range must.Have(filepath.Glob("testdata/*/*.txt"))(t) {
		want, lines := readGolden(t, file)
		p := find(t, set, filepath.Base(filepath.Dir(file)))
		if want.State != profile.Dialog || p.Name == "crush" {
			continue
		}
		questions++
		for at := 1; at < len(lines); at++ {
			tall := slices.Insert(slices.Clone(lines), at, slices.Repeat([]string{lines[at-1]}, 30)...)
			if got := p.Look(tall); got != profile.Dialog && got != profile.Unknown {
				t.Errorf("%s with 30 more rows like its row %d looks %s", file, at, got)
			}
		}
	}
	if questions < 40 {
		t.Errorf("there are %d questions", questions)
	}
}
