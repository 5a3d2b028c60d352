package profile_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// menuOf reads the dialog of a recorded screen.
func menuOf(t *testing.T, set profile.Set, name string) profile.Menu {
	t.Helper()
	want, lines := readGolden(t, "testdata/"+name+".txt")
	m, ok := find(t, set, filepath.Dir(name)).Menu(profile.Screen{
		Lines: lines, Width: want.Width, CursorX: want.CursorX, CursorY: want.CursorY,
	})
	if !ok {
		t.Fatalf("%s: no dialog is seen", name)
	}
	return m
}

func TestOptionsOfDialogsAreRead(t *testing.T) {
	set := builtin(t)
	for name, want := range map[string][]string{
		"claude/80x24-dialog": {
			"Do you want to proceed?", "*1 Yes", "2 Yes, and always allow access to /src/garden from this project",
			"3 Yes, and switch to auto mode · auto mode handles these prompts for you", "4 No",
		},
		"claude/80x24-question": {
			"Which color?", "*1 Red", "2 Blue", "3 Type something. …", "4 Chat about this",
		},
		"claude/80x24-start-trust": {"Accessing workspace:", "*No, exit", "Yes, I trust this folder"},
		"claude/80x24-start-api-key": {
			"Do you want to use this API key?", "Yes", "*No (recommended)",
		},
		"claude/80x30-choices": {
			"Which two?", "*1 [ ] Red", "2 [ ] Blue", "3 [ ] Type something …", "Next", "4 Chat about this",
		},
		"claude/80x30-choices-next": {
			"Which two?", "1 [x] Red", "2 [ ] Blue", "3 [ ] Type something …", "*Next", "4 Chat about this",
		},
		"claude/80x30-choices-submit": {"Review your answers", "*1 Submit answers", "2 Cancel"},
		"gemini/80x40-choices": {
			"Answer Questions", "*1 [x] Red", "2 [ ] Blue", "3 [ ] All of the above",
		},
		"qwen/80x40-choices":        {"Which two?", "*1 [x] Red", "2 [ ] Blue", "3 [ ] Type something... …"},
		"qwen/80x40-choices-submit": {"Ready to submit your answers?", "*1 Submit answers", "2 Cancel"},
		"opencode/100x40-choices": {
			"Which two? (select all that apply)", "1 [ ] Red", "2 [ ] Blue", "3 [ ] Type your own answer …",
		},
		"opencode/100x40-choices-review": {"Pick Size Confirm", "submit", "dismiss"},
		"codex/120x40-dialog": {
			"Would you like to run the following command?", "*1 Yes, proceed (y)",
			"2 Yes, and don't ask again for commands that start with `touch /src/garden/pwned` (p)",
			"3 No, and tell Codex what to do differently (esc)",
		},
		"codex/captured-permission-mcp-plain": {
			`Allow the mini MCP server to run tool "plain"?`,
			"*1 Allow", "2 Allow for this session", "3 Always allow", "4 Cancel",
		},
		"codex/captured-trust": {"Folder access", "*1 Trust and continue", "2 Back to Agent Command Center"},
		"gemini/80x24-dialog": {
			"Allow execution of [Shell]?", "*1 Allow once", "2 Allow for this session", "3 No, suggest changes (esc)",
		},
		"gemini/80x24-question": {"Which colour?", "*1 Red", "2 Blue", "3 Enter a custom value …"},
		"gemini/60x20-scrolled": {"Which colour?", "2 Colour02", "3 Colour03", "*4 Colour04"},
		"gemini/120x40-key":     {"Enter Gemini API Key"},
		"qwen/120x40-dialog": {
			"Allow execution of: 'touch'?", "*1 Yes, allow once",
			"2 Always allow run 'touch *' commands in this project",
			"3 Always allow run 'touch *' commands for this user", "4 No, suggest changes (esc)",
		},
		"cline/100x30-shell":  {"Approve tool call?", "Approve", "Deny"},
		"cline/100x30-dialog": {"Approve tool call?", "Approve", "Deny"},
		"omp/100x30-dialog":   {"Allow tool: bash", "*Approve", "Deny"},
		"grok/100x30-dialog-once": {
			"Allow (Mini) Send?", "1 Yes, and don't ask again for anything (always-approve mode)",
			"2 Always allow: (Mini) Send", "*3 Yes", "4 No, reject (type to add feedback)",
			"5 Never allow: (Mini) Send",
		},
		"grok/100x30-dialog-unfocused": {
			"Allow (Mini) Send?", "1 Yes, and don't ask again for anything (always-approve mode)",
			"2 Always allow: (Mini) Send", "*3 Yes", "4 No, reject (type to add feedback)",
			"5 Never allow: (Mini) Send",
		},
		"qwen/80x24-question":     {"Which colour?", "*1 Red", "2 Blue", "3 Type something... …"},
		"opencode/200x50-dialog":  {"△ Permission required", "Allow once", "Allow always", "Reject"},
		"opencode/80x24-question": {"Which colour?", "1 Red", "2 Blue", "3 Type your own answer …"},
		"copilot/80x24-dialog": {
			"Do you want to run this command?", "*1 Yes",
			"2 Yes, and don't ask again for `touch` in this directory (/src/garden)",
			"3 No, and tell Copilot what to do differently (Esc to stop) …",
		},
	} {
		m := menuOf(t, set, name)
		if got := describe(m); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", name, got, want)
		}
	}
}

// describe returns the question and the options of a dialog: * is the marked one, … takes a text.
func describe(m profile.Menu) []string {
	words := []string{m.Question}
	for _, o := range m.Options {
		word := o.Label
		switch {
		case o.Checked:
			word = "[x] " + word
		case o.Check:
			word = "[ ] " + word
		}
		if o.Number > 0 {
			word = string(rune('0'+o.Number)) + " " + word
		}
		if o.Marked {
			word = "*" + word
		}
		if o.Text {
			word += " …"
		}
		words = append(words, word)
	}
	return words
}

// What a permission is asked for is part of the dialog, or another one would pass for it.
func TestDialogIsKnownByWhatItAsks(t *testing.T) {
	set := builtin(t)
	for _, name := range []string{
		"claude/80x24-dialog", "codex/80x24-dialog", "gemini/80x24-dialog", "qwen/80x24-dialog", "copilot/80x24-dialog",
		"opencode/80x24-dialog",
	} {
		want, lines := readGolden(t, "testdata/"+name+".txt")
		p := find(t, set, filepath.Dir(name))
		screen := profile.Screen{Lines: lines, Width: want.Width}
		m, _ := p.Menu(screen)

		other := slices.Clone(lines)
		for i := m.Top; i < m.End; i++ {
			other[i] = strings.NewReplacer("touch", "erase", "/x", "/y").Replace(other[i])
		}
		screen.Lines = other
		if o, ok := p.Menu(screen); !ok || o.ID() == m.ID() {
			t.Errorf("%s: what is asked changed, and not the id: %v, %q", name, ok, o.Lines)
		}
	}
}

func TestMarkIsNoPartOfTheDialog(t *testing.T) {
	set := builtin(t)
	for name, moved := range map[string][]string{
		"claude/80x24-dialog":  {"❯ 1.", "  1.", "  2.", "❯ 2."},
		"codex/80x24-dialog":   {"› 1.", "  1.", "  2.", "› 2."},
		"gemini/80x24-dialog":  {"● 1.", "  1.", "  2.", "● 2."},
		"qwen/80x24-dialog":    {"› 1.", "  1.", "  2.", "› 2."},
		"copilot/80x24-dialog": {"❯ 1.", "  1.", "  2.", "❯ 2."},
	} {
		want, lines := readGolden(t, "testdata/"+name+".txt")
		p := find(t, set, filepath.Dir(name))
		before, _ := p.Menu(profile.Screen{Lines: lines, Width: want.Width})

		text := strings.NewReplacer(moved...).Replace(strings.Join(lines, "\n"))
		after, ok := p.Menu(profile.Screen{Lines: strings.Split(text, "\n"), Width: want.Width})
		if !ok || after.Marked() != 1 || before.Marked() != 0 || after.ID() != before.ID() {
			t.Errorf("%s: marked %d and %d, ids %s and %s", name, before.Marked(), after.Marked(), before.ID(),
				after.ID())
		}
	}
}

func TestChosenButtonIsKnownByItsColour(t *testing.T) {
	p := find(t, builtin(t), "opencode")
	const back, chosen = "\x1b[48;5;234m", "\x1b[48;5;215m"
	lines := []string{
		"  ┃  △ Permission required", "  ┃", "  ┃   Allow once   Allow always   Reject   ⇆ select  enter confirm",
		"  ┃",
	}
	m, ok := p.Menu(profile.Screen{Lines: lines, Width: 80, Colours: []string{"", "",
		"\x1b[38;5;215m" + back + "  ┃" + back + "   \x1b[38;5;8mAllow once  " + chosen +
			" \x1b[38;5;232mAllow always " + back +
			"  Reject   ⇆ select  enter confirm", ""}})
	if !ok || m.Way != profile.ByButton || m.Marked() != 1 {
		t.Errorf("got %+v, want the second of three chosen", m)
	}
}

func TestButtonsOfANarrowTerminalHaveTheirKeysBelow(t *testing.T) {
	lines := strings.Split(`  ┃  △ Permission required
  ┃    # Shell command
  ┃
  ┃  $ touch /tmp/x && echo a   b
  ┃
  ┃   Allow once   Allow always   Reject
  ┃
  ┃  ctrl+f fullscreen  ⇆ select  enter confirm
  ┃`, "\n")
	m, ok := find(t, builtin(t), "opencode").Menu(profile.Screen{Lines: lines, Width: 72})
	var labels []string
	for _, o := range m.Options {
		labels = append(labels, o.Label)
	}
	if want := []string{"Allow once", "Allow always", "Reject"}; !ok || !slices.Equal(labels, want) {
		t.Errorf("the options are %q, want %q", labels, want)
	}
}

// The mark stands in the row of the field as well.
func TestFieldForWordsIsTheSameWhenItIsChosen(t *testing.T) {
	p := find(t, builtin(t), "qwen")
	_, lines := readGolden(t, "testdata/qwen/80x24-question.txt")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "Type something") })
	before, _ := p.Menu(profile.Screen{Lines: lines, Width: 80})
	chosen := slices.Clone(lines)
	chosen[at] = strings.Replace(chosen[at], "Type something", "> Type something", 1)
	after, ok := p.Menu(profile.Screen{Lines: chosen, Width: 80})
	if !ok || after.ID() != before.ID() {
		t.Errorf("it is another dialog: %+v, before %+v", after, before)
	}
}

func TestQuestionsOfLinesOfferTheirAnswers(t *testing.T) {
	p := find(t, builtin(t), "generic")
	for line, want := range map[string]string{
		"Overwrite? [y/N] ":                 "y N",
		"Continue (yes/no/[fingerprint])? ": "y n",
		"Stage this hunk [y,n,q,a,d]? ":     "y n q a d",
		"rm: remove regular file 'x'? ":     "y n",
		"Password: ":                        "secret",
		"version: (1.0.0) ":                 "text",
		"Press any key to continue ":        "Enter",
	} {
		m, ok := p.Menu(profile.Screen{Lines: []string{"working", line}, Width: 80, CursorX: len(line), CursorY: 1})
		got := "none"
		switch {
		case m.Secret:
			got = "secret"
		case len(m.Options) > 0:
			labels := make([]string, len(m.Options))
			for i, o := range m.Options {
				labels[i] = o.Label
			}
			got = strings.Join(labels, " ")
		case m.Text:
			got = "text"
		}
		if !ok || got != want {
			t.Errorf("%q offers %s (%v), want %s", line, got, ok, want)
		}
	}
}

func TestWhatIsNoDialogHasNoOptions(t *testing.T) {
	set := builtin(t)
	for _, file := range must.Have(filepath.Glob("testdata/*/*.txt"))(t) {
		want, lines := readGolden(t, file)
		_, ok := find(t, set, filepath.Base(filepath.Dir(file))).Menu(profile.Screen{Lines: lines, Width: want.Width})
		if want.State != profile.Unknown && ok != (want.State == profile.Dialog) {
			t.Errorf("%s, which is %s: a dialog is seen: %v", file, want.State, ok)
		}
	}
}

// Neither is a tick, nor the option without a number that it is on.
func TestTickIsNoPartOfTheDialog(t *testing.T) {
	set := builtin(t)
	before, after := menuOf(t, set, "claude/80x30-choices"), menuOf(t, set, "claude/80x30-choices-next")
	if before.ID() != after.ID() || before.Marked() != 0 || after.Marked() != 3 {
		t.Errorf("marked %d and %d, ids %s and %s", before.Marked(), after.Marked(), before.ID(), after.ID())
	}
}

// A prompt of several rows looks like a list whose first row is marked, and one may hold a list.
func TestPromptAboveADialogIsNoList(t *testing.T) {
	set := builtin(t)
	prompt := []string{
		"", "     ❯ please run this", "       and that", "       (operator · msg 62e5eda7)", "",
		"❯ 1. [ ] Which two?", "  2. [x] two of them", "", "› 1. Read it", "  2. Write it",
		"     ◆ Run a file", "",
	}
	for _, name := range []string{
		"claude/80x30-choices", "claude/80x30-choices-next", "claude/80x30-choices-submit",
		"gemini/80x40-choices", "qwen/80x40-choices", "opencode/100x40-choices",
		"grok/100x30-dialog", "claude/80x24-dialog", "codex/120x40-dialog", "gemini/80x24-dialog",
		"qwen/120x40-dialog",
		"opencode/200x50-dialog", "copilot/80x24-dialog", "cline/100x30-dialog", "omp/100x30-dialog",
	} {
		want := menuOf(t, set, name)
		golden, lines := readGolden(t, "testdata/"+name+".txt")
		got, ok := find(t, set, filepath.Dir(name)).Menu(profile.Screen{
			Lines: slices.Concat(prompt, lines), Width: golden.Width,
			CursorX: golden.CursorX, CursorY: golden.CursorY + len(prompt),
		})
		if !ok || !slices.Equal(describe(got), describe(want)) {
			t.Errorf("%s: got %v, %q, want %q", name, ok, describe(got), describe(want))
		}
	}

	// So it is where the dialog's own options are not known.
	screen := slices.Concat(prompt, []string{
		"  ┃  May I?", "  ┃  it is", "  ┃  a question", "  ┃  a) Yes", "  ┃  b) No",
	})
	p := must.Have(set.With("own", []byte("markers: {dialog: '^  ┃  a\\)'}")))(t)
	m, _ := find(t, p, "own").Menu(profile.Screen{Lines: screen, Width: 80})
	if slices.ContainsFunc(m.Options, func(o profile.Option) bool { return strings.Contains(o.Label, "please") }) {
		t.Errorf("got %q", describe(m))
	}
}

func TestFieldBelowAnOptionIsKnownByTheCursor(t *testing.T) {
	p := find(t, builtin(t), "opencode")
	id := ""
	for name, want := range map[string]profile.Field{
		"question": profile.FieldClosed, "question-field": profile.FieldEmpty, "question-typed": profile.FieldFilled,
	} {
		screen, lines := readGolden(t, "testdata/opencode/120x40-"+name+".txt")
		m, ok := p.Menu(profile.Screen{Lines: lines, Width: 120, CursorX: screen.CursorX, CursorY: screen.CursorY})
		if !ok || len(m.Options) != 3 || m.Options[2].Field != want || m.Options[0].Field != profile.FieldClosed {
			t.Errorf("%s: got %+v", name, m.Options)
		}
		if id == "" {
			id = m.ID()
		}
		if m.ID() != id {
			t.Errorf("%s: it is another dialog", name)
		}
	}
}

// Of a list that is longer than its place, the marks above and below are no words of the dialog.
func TestAListThatGoesOnSaysSo(t *testing.T) {
	m := menuOf(t, builtin(t), "gemini/60x20-scrolled")
	const want = "The list goes on: Up and Down show more. Enter to select · ↑/↓ to navigate · Esc to cancel"
	if m.Hints != want || !slices.Equal(m.Lines, []string{"Which colour?"}) {
		t.Errorf("got %q and the hints %q, want %q", m.Lines, m.Hints, want)
	}
}
