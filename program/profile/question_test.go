package profile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/must"
	"parley/program/profile"
)

// asking is the first line of a file in testdata/generic: the terminal of the screen below it,
// and what the screen asks for.
type asking struct {
	Width   int           `json:"width"`
	CursorX int           `json:"cursor_x"`
	CursorY int           `json:"cursor_y"`
	Hidden  bool          `json:"hidden"` // the cursor
	Full    bool          `json:"full"`
	Asks    profile.Asked `json:"asks"`
}

func TestQuestionsOfUnknownProgramsAreFound(t *testing.T) {
	files, err := filepath.Glob("testdata/generic/*.screen")
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d screens, %v", len(files), err)
	}

	p := find(t, builtin(t), "generic")
	for _, file := range files {
		want, screen := readAsking(t, file)
		got := p.Asks(screen)
		if got.For != want.Asks || got.For != "" && got.Words == "" {
			t.Errorf("%s: got %+v, want %q\n%s", file, got, want.Asks, strings.Join(screen.Lines, "\n"))
		}
	}
}

func readAsking(t *testing.T, file string) (asking, profile.Screen) {
	t.Helper()
	text := must.Have(os.ReadFile(file))(t)
	head, screen, _ := strings.Cut(string(text), "\n")
	var want asking
	must.Do(t, json.Unmarshal([]byte(head), &want))
	return want, profile.Screen{Lines: strings.Split(screen, "\n"), Width: want.Width, CursorX: want.CursorX,
		CursorY: want.CursorY, CursorHidden: want.Hidden, FullScreen: want.Full}
}

// Without their profiles the screens of the agent programs are unknown too. What looks like a list
// and is none only makes a message wait.
func TestDialogsOfAgentProgramsAreFoundWithoutTheirProfiles(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/*/*.txt"))(t)

	lists := []string{"claude/120x40-slash", "claude/80x24-slash", "codex/120x40-lines", "codex/80x24-lines",
		"cline/100x30-fresh", "grok/100x30-draft", "kimi/100x30-slash"}
	// Buttons without a mark, a list with a mark that prompts have too, and an editor whose keys are wrapped.
	hidden := []string{"crush/100x30-quit", "crush/100x30-start", "droid/100x30-sign-in", "pi/40x20-editor",
		"pi/40x20-editor-with"}
	p := find(t, builtin(t), "generic")
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "testdata/"), ".txt")
		want, lines := readGolden(t, file)
		if want.State != profile.Dialog && want.State != profile.Idle || slices.Contains(lists, name) ||
			slices.Contains(hidden, name) {
			continue
		}

		got := p.Asks(profile.Screen{Lines: lines, Width: want.Width, CursorX: want.CursorX, CursorY: want.CursorY,
			CursorHidden: true, FullScreen: true})
		if asks := got.For != ""; asks != (want.State == profile.Dialog) {
			t.Errorf("%s, which is %s: asks %+v", name, want.State, got)
		}
	}
}

func TestWhatStandsAtTheCursorIsAsked(t *testing.T) {
	p := find(t, builtin(t), "generic")
	for screen, want := range map[string]profile.Asked{
		"Overwrite? (y/N) ":                        profile.AYesOrNo,
		"Proceed [yes/no]: ":                       profile.AYesOrNo,
		"rm: remove regular file 'x'? ":            profile.AYesOrNo,
		"Allow? (Y)es/(N)o [Yes]: ":                profile.AYesOrNo,
		"replace x? [y]es, [n]o, [A]ll: ":          profile.AYesOrNo,
		"Möchten Sie fortfahren? [J/n] ":           profile.AYesOrNo,
		"¿Desea continuar? [S/n] ":                 profile.AYesOrNo,
		"Souhaitez-vous continuer ? [O/n] ":        profile.AYesOrNo,
		"Löschen (ja/nein)? ":                      profile.AYesOrNo,
		"Хотите продолжить? [Д/н] ":                profile.AYesOrNo,
		"您希望继续执行吗？ [是/否] ":                         profile.AYesOrNo,
		"Enter your choice: ":                      "a choice",
		"Mode [1-3]: ":                             "a choice",
		"version: (1.0.0) ":                        "a value",
		"version: (1.0.0) 2.0\ndescription: ":      "a value",
		"Enter passphrase for key '/home/ann/k': ": profile.Secret,
		"Verification code: ":                      profile.Secret,
		"Press RETURN to continue...":              profile.AKey,
		"--More--(12%)":                            profile.AKey,
		"Delete it? (yes/no)\n":                    profile.AYesOrNo,
		"Press any key to continue\n":              profile.AKey,

		"":                                 "",
		">>> ":                             "",
		"you: ":                            "",
		"on/off (a/b) > ":                  "",
		"(Pdb) ":                           "",
		"in? ":                             "",
		"press enter to continue\n>>> ":    "",
		"Delete it? (yes/no)\nno\nyou: ":   "",
		"1) one\n2) two\nyou: ":            "",
		"it was (y/n), and then more\n> x": "",
	} {
		lines := strings.Split(screen, "\n")
		last := len(lines) - 1
		got := p.Asks(profile.Screen{Lines: append(lines, "", ""), Width: 80, CursorX: len(lines[last]), CursorY: last})
		if got.For != want {
			t.Errorf("%q: got %+v, want %q", screen, got, want)
		}
	}
}

// What the profile generic asks for is a code that answers to dialogs know.
func TestGenericAsksForWhatIsKnown(t *testing.T) {
	known := []profile.Asked{
		profile.Secret, profile.AKey, profile.AYesOrNo, profile.Letters, "a choice", "a value",
		profile.Buttons, profile.AList, "a numbered list", profile.AConfirmation,
	}
	p := find(t, builtin(t), "generic")
	for _, markers := range []map[string]string{p.Markers.Questions, p.Markers.Dialogs} {
		for name := range markers {
			if !slices.Contains(known, profile.Asked(name)) {
				t.Errorf("%q has no code", name)
			}
		}
	}
}

func TestAnswersAreOfferedInTheLanguageOfTheQuestion(t *testing.T) {
	p := find(t, builtin(t), "generic")
	for line, want := range map[string]string{"Weiter? [J/n] ": "J n", "Продолжить? [Д/н] ": "Д н",
		"継続？ (はい/いいえ) ": "はい いいえ"} {
		m, ok := p.Menu(profile.Screen{Lines: []string{line}, Width: 80, CursorX: ansi.StringWidthWc(line)})
		var labels []string
		for _, o := range m.Options {
			labels = append(labels, o.Label)
		}
		if got := strings.Join(labels, " "); !ok || got != want {
			t.Errorf("%q offers %q, want %q", line, got, want)
		}
	}
}

// A message may say what it likes, before its Enter and after.
func TestOwnMessagesAskNothing(t *testing.T) {
	p := find(t, builtin(t), "generic")
	for _, text := range []string{
		"shall I delete it? (y/n)", "press any key to continue in <main>", "press any key to continue", "the password:",
		"take this:", "enter to confirm",
		"1. Yes 2. No", strings.Repeat("long words that wrap, ", 12) + "enter to confirm",
	} {
		var rows []string
		for row := range slices.Chunk([]rune(prompt(text)), 80) {
			rows = append(rows, string(row))
		}

		last := len(rows) - 1
		before := profile.Screen{Lines: rows, Width: 80, CursorX: len([]rune(rows[last])), CursorY: last}
		after := profile.Screen{Lines: append(slices.Clone(rows), ""), Width: 80, CursorY: last + 1}
		for _, s := range []profile.Screen{before, after} {
			if got := p.Asks(s); got.For != "" {
				t.Errorf("%q asks %+v", text, got)
			}
		}
	}
}

// Whatever program it is, a question that its own markers do not know is seen as for a program that
// parley does not know, and nothing else is.
func TestKnownProgramsAskWhatTheirMarkersDoNotKnow(t *testing.T) {
	files := must.Have(filepath.Glob("testdata/generic/*.screen"))(t)
	set := builtin(t)
	for _, name := range set.Names() {
		p := find(t, set, name)
		seen := 0
		for _, file := range files {
			want, screen := readAsking(t, file)
			got := p.Read(screen)
			switch {
			case got.Shows == profile.Unknown && !got.Composing || !p.HasMarkers():
				seen++
				if got.Asks.For != want.Asks {
					t.Errorf("%s, %s: asks %+v, want %q", name, file, got.Asks, want.Asks)
				}
			case got.Asks != (profile.Question{}):
				t.Errorf("%s, %s: it is %s and asks %+v", name, file, got.Shows, got.Asks)
			}
		}
		if seen < 15 {
			t.Errorf("%s knows all but %d of the screens by its markers", name, seen)
		}
	}
}

// The list of this start has neither numbers nor a hint at keys.
func TestQuestionsOfKnownProgramsHaveTheirOptions(t *testing.T) {
	want, lines := readGolden(t, "testdata/claude/120x40-start-auto-mode.txt")
	m, ok := find(t, builtin(t), "claude").Menu(profile.Screen{
		Lines: lines, Width: want.Width, CursorX: want.CursorX, CursorY: want.CursorY,
	})
	if !ok || m.Way != profile.ByMark || len(m.Options) != 2 || m.Marked() != 0 ||
		m.Question != "Make auto mode your default permission mode?" || m.Options[1].Label != "No, keep manual mode" {
		t.Errorf("got %+v, %v", m, ok)
	}
}

// What a program shows below a text tells an answer from a refusal, and from work that may yet be refused.
func TestAnswersShowThatATextIsNotRefused(t *testing.T) {
	const ours = "msg 5f0c21aa"
	footer := func(sign string) []string { return []string{sign + " hello", "  (ann · " + ours + ")", ""} }
	for _, c := range []struct {
		profile string
		below   string
		want    bool
	}{
		{"claude", "● Hello!", true},
		{"claude", "● Bash(touch x)\n  ⎿  Running…", true},
		{"claude", "✽ Crafting… (2s · ↓ 12 tokens)", true},
		{"claude", "✽ Crafting… (2s · ↑ 12 tokens)", false},
		{"claude", "✽ Crafting…", false},
		{"claude", "  ⎿  Not logged in · Please run /login", false},
		{"claude", "  ⎿  UserPromptSubmit hook says: hello", false},
		{"claude", "● How is Claude doing this session? (optional)", false},
		{"codex", "• Hello!", true},
		{"codex", "• Called parley.send_message", true},
		{"codex", "• Working (0s • esc to interrupt)", false},
		{"codex", "• Booting MCP server: parley (0s • esc to interrupt)", false},
		{"codex", "• Running UserPromptSubmit hook", false},
		{"codex", "• UserPromptSubmit hook (completed)", false},
		{"codex", "■ Missing environment variable: `KEY`.", false},
		{"copilot", "", true}, // it shows no text that it refuses
	} {
		p := find(t, builtin(t), c.profile)
		rows := append(footer("❯"), strings.Split(c.below, "\n")...)
		if got := p.Answered(rows, ours, 0); got != c.want {
			t.Errorf("%s: %q is an answer: %v, want %v", c.profile, c.below, got, c.want)
		}
		if p.Answered(rows, ours, 1) {
			t.Errorf("%s: %q below a copy from before counts", c.profile, c.below)
		}
		if again := append(rows, footer("❯")...); c.below != "" && p.Answered(again, ours, 1) {
			t.Errorf("%s: %q above the text counts", c.profile, c.below)
		}
	}

	for _, name := range []string{"claude/120x40-refused", "claude/120x40-old-refused", "claude/80x24-refused",
		"claude/80x24-old-refused", "codex/120x40-refused", "codex/80x24-refused", "copilot/120x40-refused"} {
		_, lines := readGolden(t, "testdata/"+name+".txt")
		program, _, _ := strings.Cut(name, "/")
		if find(t, builtin(t), program).Answered(lines, ours, 0) {
			t.Errorf("%s: a refusal counts as an answer", name)
		}
	}
}

func TestRefusalsAreCausesThatBlock(t *testing.T) {
	_, lines := readGolden(t, "testdata/copilot/80x24-refused.txt")
	if got := find(t, builtin(t), "copilot").RefusedBy(lines); got != profile.SignIn {
		t.Errorf("got %q, want %q", got, profile.SignIn)
	}

	_, lines = readGolden(t, "testdata/claude/80x24-limit.txt")
	if got := find(t, builtin(t), "claude").RefusedBy(lines); got != "" {
		t.Errorf("a limit is no refusal of the program's own: got %q", got)
	}

	if _, err := builtin(t).With("odd", []byte("markers: {refusals: [nothing]}")); err == nil {
		t.Error("a refusal that nothing shows was accepted")
	}
}
