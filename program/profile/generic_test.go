package profile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/term"

	"parley/internal/must"
	"parley/program/profile"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// TestMain is also a program that leaves its cursor in a corner.
func TestMain(m *testing.M) {
	if os.Getenv("PROFILE_TEST_CORNER") != "" {
		corner()
		return
	}
	os.Exit(m.Run())
}

// corner shows typed text in row 5 and keeps its cursor at the top left.
func corner() {
	before, err := term.MakeRaw(0)
	if err != nil {
		fmt.Println(err)
		return
	}

	defer term.Restore(0, before)

	fmt.Print("\x1b[2J\x1b[5;1H| ready\x1b[H")
	buf := make([]byte, 4096)
	for {
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return
		}
		fmt.Printf("\x1b[5;1H\x1b[J| %s\x1b[H", strings.TrimRight(string(buf[:n]), "\r"))
	}
}

const mark = "msg 5f0c21aa"

// texts have the form for a one-line profile: header, text and footer in one line.
var texts = map[string]string{
	"short":  "please rebase",
	"long":   strings.TrimSpace(strings.Repeat("rebase onto main and run it all again, ", 12)),
	"spaces": strings.TrimSpace(strings.Repeat("a b ", 150)),
	"cjk":    strings.Repeat("請把你的分支重新整理到主分支上x", 20),
	"emoji":  strings.Repeat("done 🎉🎉🎉 ", 20) + "ok",
}

func prompt(text string) string {
	return "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: " + text + " (planner · " + mark + ")"
}

// lineReaders are programs that read lines in various ways, with the text that each shows
// when it is ready and when it has read a line.
var lineReaders = []struct {
	name, needs   string
	argv          []string
	ready, prompt string
}{
	{"cat", "cat", []string{"sh", "-c", "echo go; exec cat >/dev/null"}, "go", ""},
	{"read loop", "bash", []string{"bash", "-c", `echo go; while IFS= read -r l; do echo "got it"; done`}, "go", ""},
	{
		"prompting read loop",
		"bash",
		[]string{"bash", "-c", `echo go; while IFS= read -r -p 'you: ' l; do echo "got it"; done`},
		"you:",
		"you: ",
	},
	{
		"readline",
		"bash",
		[]string{"bash", "-c", `while IFS= read -e -r -p 'me> ' l; do echo "got it"; done`},
		"me>",
		"me> ",
	},
	{
		"python input",
		"python3",
		[]string{"python3", "-c", "while True:\n  input('in? ')\n  print('got it')"},
		"in?",
		"in? ",
	},
	{
		"python readline",
		"python3",
		[]string{"python3", "-c", "import readline\nwhile True:\n  input('in? ')\n  print('got it')"},
		"in?",
		"in? ",
	},
}

func TestComposerOfLineReadersHoldsTheTextUntilItIsSubmitted(t *testing.T) {
	server := tmuxtest.Start(t)
	p := find(t, builtin(t), "generic")
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		for _, r := range lineReaders {
			t.Run(fmt.Sprintf("%s at %d columns", r.name, size[0]), func(t *testing.T) {
				if _, err := exec.LookPath(r.needs); err != nil {
					t.Skipf("no %s here", r.needs)
				}

				pane := launch(t, server, size, nil, r.argv...)
				tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return strings.Contains(s.Text(), r.ready) })
				for name, text := range texts {
					submitAndCheck(t, server, pane, p, name, r.prompt, prompt(text), r.name != "cat")
				}
			})
		}
	}
}

func submitAndCheck(
	t *testing.T, server *tmux.Server, pane *tmux.Pane, p *profile.Profile, name, lead, text string, speaks bool,
) {
	t.Helper()
	before := tmuxtest.WaitFor(t, pane,
		func(s tmux.Screen) bool { return composed(t, p, s) == strings.TrimSpace(lead) })

	if got := composed(t, p, before); profile.Holds(got, mark) {
		t.Errorf("%s: before the paste the composer is %q", name, got)
	}

	paste(t, server, pane, text)
	shown := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return profile.Holds(composed(t, p, s), mark+")") })
	if got, want := composed(t, p, shown), lead+text; got != want {
		t.Errorf("%s: composer\n got %q\nwant %q\n%s", name, got, want, shown.Text())
	}

	keys(t, server, pane, "Enter")
	after := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return composed(t, p, s) == strings.TrimSpace(lead) })
	if speaks { // otherwise its output could come into the next paste
		tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return s.CursorY > 0 && s.Lines[s.CursorY-1] == "got it" })
	}
	if !profile.Holds(after.Text(), mark) {
		t.Errorf("%s: the text left the screen:\n%s", name, after.Text())
	}
}

func TestTextThatEndsAtTheEdgeIsShownOrCountsAsEmpty(t *testing.T) {
	server := tmuxtest.Start(t)
	p := find(t, builtin(t), "generic")
	text := prompt("x")
	text = prompt(strings.Repeat("x", 160-len([]rune(text))+1))
	pane := launch(t, server, [2]int{80, 24}, nil, "sh", "-c", "echo go; exec cat")
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return strings.Contains(s.Text(), "go") })
	paste(t, server, pane, text)
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return composed(t, p, s) == text })
	keys(t, server, pane, "Enter")
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return composed(t, p, s) == "" })

	pane = launch(t, server, [2]int{80, 24}, nil, "bash", "-c", "while IFS= read -e -r l; do echo got it; done")
	paste(t, server, pane, text)
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool {
		return profile.Holds(s.Text(), mark) && s.CursorX == 0 && composed(t, p, s) == ""
	})
}

func TestSilentAndUnknownProgramsDoNotShowTheTextInTheComposer(t *testing.T) {
	server := tmuxtest.Start(t)
	p := find(t, builtin(t), "generic")
	got := filepath.Join(t.TempDir(), "got")
	pane := launch(t, server, [2]int{80, 24}, map[string]string{"GOT": got}, "sh", "-c",
		`stty -echo; echo go; exec cat >"$GOT"`)

	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return strings.Contains(s.Text(), "go") })
	paste(t, server, pane, prompt("hello"))
	keys(t, server, pane, "Enter")
	tmuxtest.Poll(t, func() bool { b, _ := os.ReadFile(got); return strings.Contains(string(b), mark) },
		func() string { return "not read" })

	s := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return composed(t, p, s) == "" })
	if profile.Holds(s.Text(), mark) {
		t.Errorf("a program that does not echo showed it:\n%s", s.Text())
	}

	self := must.Have(os.Executable())(t)

	pane = launch(t, server, [2]int{80, 24}, map[string]string{"PROFILE_TEST_CORNER": "1"}, self, "-test.run=^$")
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return strings.Contains(s.Text(), "| ready") })
	paste(t, server, pane, prompt("hello"))
	s = tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return profile.Holds(s.Text(), mark) })
	if text, ok := p.Composer(view(s)); text != "" || !ok {
		t.Errorf("got %q, %v for a cursor that stands elsewhere", text, ok)
	}
	if got, want := p.Look(s.Lines), profile.Unknown; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestComposerIsNotKnownWhenTheCursorIsNotOnTheScreen(t *testing.T) {
	p := find(t, builtin(t), "generic")
	for _, y := range []int{-1, 1} {
		if text, ok := p.Composer(profile.Screen{Lines: []string{"x"}, Width: 80, CursorY: y}); ok || text != "" {
			t.Errorf("got %q, %v", text, ok)
		}
	}
}

func TestHoldsIgnoresWhereLinesBreak(t *testing.T) {
	for _, test := range []struct {
		composer, part string
		want           bool
	}{
		{"… (planner · msg\n  5f0c21aa)", mark, true},
		{"… (planner · msg 5f0c2\n1aa)", mark, true},
		{"… (planner · msg 5f0c21ab)", mark, false},
		{"", mark, false},
		{"anything", "", false},
		{"anything", " ", false},
	} {
		if got := profile.Holds(test.composer, test.part); got != test.want {
			t.Errorf("Holds(%q, %q): got %v, want %v", test.composer, test.part, got, test.want)
		}
	}
}

func launch(t *testing.T, server *tmux.Server, size [2]int, env map[string]string, argv ...string) *tmux.Pane {
	t.Helper()
	info := must.Have(server.NewSession(t.Context(), tmux.SessionOptions{Name: tmuxtest.Name("p"), Owner: "test",
		Width: size[0], Height: size[1], Argv: argv, Env: env}))(t)
	return server.Pane(info.ID)
}

// paste pastes text, framed if the program asked for it, and presses no key.
func paste(t *testing.T, server *tmux.Server, pane *tmux.Pane, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "text")
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))

	command(t, server, "load-buffer", "-b", "test", file, ";", "paste-buffer", "-p", "-r", "-d", "-b", "test", "-t",
		pane.ID())
}

func keys(t *testing.T, server *tmux.Server, pane *tmux.Pane, names ...string) {
	t.Helper()
	command(t, server, append([]string{"send-keys", "-t", pane.ID()}, names...)...)
}

func command(t *testing.T, server *tmux.Server, args ...string) {
	t.Helper()
	out, err := exec.Command(tmuxtest.Binary(), append([]string{"-S", server.SocketPath()}, args...)...).
		CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
}

func view(s tmux.Screen) profile.Screen {
	return profile.Screen{Lines: s.Lines, Width: s.Width, CursorX: s.CursorX, CursorY: s.CursorY}
}

func composed(t *testing.T, p *profile.Profile, s tmux.Screen) string {
	t.Helper()
	text, ok := p.Composer(view(s))
	if !ok {
		t.Fatalf("no composer for the cursor at %d,%d:\n%s", s.CursorX, s.CursorY, s.Text())
	}
	return text
}
