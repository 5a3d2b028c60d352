package trial

import (
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
	"parley/tmux"
)

// composers are the forms of composers that programs have, with a text in its place and rows around it. {} is the text
// of the first row, {+} of each further one; they are padded to the edge where something stands right of them. {-} is
// a row that gives way to a further one.
var composers = map[string]string{
	"between two rules": `
────────────────────────────────────────
{}
{+}
────────────────────────────────────────
~/garden
0.0%/200k                           mock`,
	"between two rules, with a sign": `
────────────────────────────────────────
❯ {}
  {+}
────────────────────────────────────────
  ? for shortcuts`,
	"in a box": `
 ╭─────────────────────────────────────╮
 │ > {}                                │
 │   {+}                               │
 ╰─────────────────────────────────────╯
 context: 0%`,
	"in a box of three rows": `
╭──────────────────────────────────────╮
│┃ {}                                  │
│┃ {+}                                 │
│┃ {-}                                 │
│┃ {-}                                 │
╰──────────────────────────────────────╯
  enter sends`,
	"in a box of three rows, without a sign": `
╭──────────────────────────────────────╮
│{}                                    │
│{+}                                   │
│{-}                                   │
│{-}                                   │
╰──────────────────────────────────────╯`,
	"in a box of three rows, with numbers": `
╭──────────────────────────────────────╮
│┃   1 {}                              │
│┃     {+}                             │
│┃ {-}                                 │
│┃ {-}                                 │
╰──────────────────────────────────────╯`,
	"in three rows behind bars": `
┃ {}
┃ {+}
┃ {-}
┃ {-}
  enter sends`,
	"behind a bar": `
  ┃
  ┃  {}
  ┃  {+}
  ┃
  ┃  Build · mock mock
  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀
                       15 (0%)  commands`,
	"behind a bar, without an edge": `
What would you like me to help with?
┃
┃ > {}
┃   {+}
┃
▶ normal mode on`,
	"behind a word": `
ask> {}
{+}

F1 help`,
	"behind a sign, above a footer": `

› {}
  {+}

  mock default · ~/garden`,
	"behind a sign, at the end": `
 π > ⬢ Mock > garden ▶─0.0%──────────────
╰─ {}
   {+}`,
	"above a row with a sign": `
────────────────────────────────────────
› {}
  {+}
· mock`,
}

// scene draws a composer with a text below a conversation.
func scene(form, text string) tmux.Screen {
	s := tmux.Screen{Width: 40, Height: 30, CursorHidden: true}
	s.Lines = []string{"", "> an earlier question", "", "  and what came of it"}
	rows := strings.Split(text, "\n")
	put := func(row, mark, words string) string {
		before, after, _ := strings.Cut(row, mark)
		if after != "" {
			after = strings.Repeat(" ", max(0, len([]rune(mark))+len([]rune(after))-1-len([]rune(words)))) +
				after[len(after)-len("│"):]
		}
		return strings.TrimRight(before+words+after, " ")
	}
	given := len(rows) - 1
	for row := range strings.SplitSeq(form, "\n") {
		switch {
		case strings.Contains(row, "{-}") && given > 0:
			given--
		case strings.Contains(row, "{-}"):
			s.Lines = append(s.Lines, put(row, "{-}", ""))
		case strings.Contains(row, "{+}"):
			for _, words := range rows[1:] {
				s.Lines = append(s.Lines, put(row, "{+}", words))
			}
		case strings.Contains(row, "{}"):
			s.Lines = append(s.Lines, put(row, "{}", rows[0]))
		default:
			s.Lines = append(s.Lines, row)
		}
	}
	s.CursorY = len(s.Lines) - 1
	return s
}

// Whatever a composer looks like, what was learned of it reads what stands there, and that nothing does.
func TestComposersAreFoundByWhatIsTyped(t *testing.T) {
	for name, form := range composers {
		t.Run(name, func(t *testing.T) {
			shape, err := FindShape(Sights{Rest: scene(form, ""), Draft: scene(form, Probe),
				Lines: scene(form, Several)})
			if err != nil {
				t.Fatal(err)
			}
			s := study{name: "new", keys: profile.Learned{Extends: profile.Default, Key: "Enter", InlineLines: 3}}
			s.keys.Markers.Composer, s.keys.Markers.Idle = shape.Composer, shape.Idle
			p := must.Have(s.keys.Profile(s.name))(t)

			texts := []string{"", Probe, Several, "x", "a longer thought\nof two rows", "a thought\nas short\na"}
			for _, text := range texts {
				screen := scene(form, text)
				r := p.Read(profile.Screen{Lines: screen.Lines, Width: screen.Width, CursorY: screen.CursorY})
				if !r.Composing || r.Composer != text {
					t.Errorf("%q: reads %q, %v with %s", text, r.Composer, r.Composing, shape.Composer)
				}
				if r.Shows != profile.Idle {
					t.Errorf("%q: looks %s with %s", text, r.Shows, shape.Idle)
				}
			}

			gone := tmux.Screen{Lines: strings.Split("an earlier question\n\nDo you want to run it?\n❯ 1. Yes\n  2. No",
				"\n")}
			r := p.Read(profile.Screen{Lines: gone.Lines, Width: 40})
			if r.Composing || r.Shows == profile.Idle {
				t.Errorf("a question in its place looks %s", r.Shows)
			}
		})
	}
}

// A list that opens below a composer whose program's questions are not known is a question.
func TestQuestionBelowALearnedComposerIsSeen(t *testing.T) {
	form := composers["between two rules, with a sign"]
	shape, err := FindShape(Sights{Rest: scene(form, ""), Draft: scene(form, Probe), Lines: scene(form, Several)})
	must.Do(t, err)
	s := study{name: "new", keys: profile.Learned{Extends: profile.Default, Key: "Enter"}}
	s.keys.Markers.Composer, s.keys.Markers.Idle = shape.Composer, shape.Idle
	p := must.Have(s.keys.Profile(s.name))(t)

	screen := scene(form, "")
	screen.Lines = append(screen.Lines, "Allow it? [y/n]")
	if r := p.Read(profile.Screen{Lines: screen.Lines, Width: 40}); r.Shows != profile.Dialog {
		t.Errorf("it looks %s", r.Shows)
	}
}

// What a program that reads lines writes below the one that it was given is no draft: its question is seen.
func TestOutputBelowALearnedLineIsNoDraft(t *testing.T) {
	const form = "ask> {}"
	shape, err := FindShape(Sights{Rest: scene(form, ""), Draft: scene(form, Probe)})
	must.Do(t, err)
	s := study{name: "new", keys: profile.Learned{Extends: profile.Default, Key: "Enter", OneLine: true}}
	s.keys.Markers.Composer, s.keys.Markers.Idle = shape.Composer, shape.Idle
	p := must.Have(s.keys.Profile(s.name))(t)

	for below, want := range map[string]profile.Reading{
		"":                                     {Shows: profile.Idle, Composer: Probe, Composing: true},
		"working 1\nworking 2\n":               {Shows: profile.Unknown},
		"Let me run it.\nRun rm -rf x? [y/N] ": {Shows: profile.Unknown, Asks: profile.Question{For: "a yes or no"}},
	} {
		screen := scene(form, Probe)
		if below != "" {
			screen.Lines = append(screen.Lines, strings.Split(below, "\n")...)
		}
		last := len(screen.Lines) - 1
		got := p.Read(profile.Screen{
			Lines: screen.Lines, Width: 40, CursorY: last, CursorX: len(screen.Lines[last]),
		})
		if got.Shows != want.Shows || got.Composer != want.Composer || got.Composing != want.Composing ||
			got.Asks.For != want.Asks.For {
			t.Errorf("%q: %+v", below, got)
		}
	}
}

// What stands in an empty composer is known by its words, also where they have the colour of a text.
func TestPlaceholderIsNoDraft(t *testing.T) {
	const hint = "Tell me (anything), 世界 …"
	for name, form := range composers {
		rest, draft := scene(form, hint), scene(form, Probe)
		f, err := locate(Sights{Rest: rest, Draft: draft})
		must.Do(t, err)
		rest.CursorX, rest.CursorY = f.column, f.home
		shape, err := FindShape(Sights{Rest: rest, Draft: draft, Lines: scene(form, Several)})
		must.Do(t, err)
		s := study{name: "new", keys: profile.Learned{Extends: profile.Default, Key: "Enter"}}
		s.keys.Markers.Composer, s.keys.Markers.Idle = shape.Composer, shape.Idle
		p := must.Have(s.keys.Profile(s.name))(t)

		screen := profile.Screen{Lines: rest.Lines, Width: rest.Width, CursorX: rest.CursorX, CursorY: rest.CursorY}
		text, _ := p.Composer(screen)
		s.keys.Markers.Empty = hintOf(text)
		p = must.Have(s.keys.Profile(s.name))(t)
		if text, ok := p.Composer(screen); !ok || text != "" {
			t.Errorf("%s: reads %q, %v with %s", name, text, ok, s.keys.Markers.Empty)
		}
		screen.CursorX++ // somebody has typed
		if text, ok := p.Composer(screen); !ok || text != hint {
			t.Errorf("%s: reads %q, %v as a draft", name, text, ok)
		}
	}
}

func TestComposerWithoutMarksIsNotGuessed(t *testing.T) {
	for name, s := range map[string]Sights{
		"no edge and no sign": {Rest: scene("\n{}\n", ""), Draft: scene("\n{}\n", Probe)},
		"not shown":           {Rest: scene("\n> \n", ""), Draft: scene("\n> \n", "")},
		"nothing at all":      {},
	} {
		if shape, err := FindShape(s); err == nil {
			t.Errorf("%s: found %+v", name, shape)
		}
	}
}

// What stands in place of a paste is not the paste's own beginning.
func TestStandInIsNoPartOfThePaste(t *testing.T) {
	form := composers["in a box"]
	shape, err := FindShape(Sights{Rest: scene(form, ""), Draft: scene(form, Probe), Lines: scene(form, Several)})
	must.Do(t, err)
	s := study{name: "new", keys: profile.Learned{Extends: profile.Default, Key: "Enter"}}
	s.keys.Markers.Composer, s.keys.Markers.Idle = shape.Composer, shape.Idle
	p := must.Have(s.keys.Profile(s.name))(t)

	for shown, want := range map[string]string{
		"[paste #1 +12 lines]":        `\[paste\s+#\d+\s+\+\d+\s+lines\]`,
		"[Pasted Content 1395 chars]": `\[Pasted\s+Content\s+\d+\s+chars\]`,
		"[words that... +12 lines]":   `\[.*\.\.\.\s+\+\d+\s+lines\]`,
		"words that say nothing":      "",
		"end":                         "",
		"":                            "",
	} {
		if got := standIn(p, scene(form, shown)); got != want {
			t.Errorf("%s: got %s, want %s", shown, got, want)
		}
	}
}

// The hint in an empty composer is no chosen line of a list.
func TestHintBetweenEdgesIsNoQuestion(t *testing.T) {
	const rule = "────────────────────"
	for text, want := range map[string]bool{
		rule + "\n❯ What can I do?\n" + rule + "\n mock":     true,
		rule + "\n❯ What can I do?\n  Nothing\n" + rule:      false,
		"Trust it?\n❯ What can I do?\n" + rule:               false,
		"❯ What can I do?":                                   false,
		"┃\n┃ ❯ What can I do?\n┃\n mock":                    true,
		"┃\n┃ ❯ What can I do?\n┃   Nothing\n┃":              false,
		rule + "\nsomething else\n" + rule + "\n❯ 1. an end": false,
	} {
		if got := betweenEdges(strings.Split(text, "\n"), "❯ What can I do?"); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
