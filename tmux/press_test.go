package tmux_test

import (
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// screenful draws a menu with signs that mean something to tmux and in regular expressions, and then
// echoes what is typed below it.
const screenful = `stty -echo raw; printf 'Allow this?\r\n'
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf ' │ a,b} #{pane_id} #S $HOME "x" (.*) [%%H] row %%i \\ ~ 日本 ❯ %s\r\n' $i; done
printf '❯ 1. Yes; and #[x]\r\n  2. No\r\n'; dd bs=1 count=1 2>/dev/null | od -An -c; cat`

func TestPressDependsOnTheRowsThatWereSeen(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner := ownedShell(t, s, screenful)
	seen := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "2. No") })

	press := tmux.Keypress{Owner: owner, Screen: seen, To: 15, Key: "2"}
	for name, change := range map[string]func(*tmux.Keypress){
		"row":    func(p *tmux.Keypress) { p.Screen.Lines[14] = "  2. Nope" },
		"place":  func(p *tmux.Keypress) { p.Screen.Lines = append([]string{"new"}, p.Screen.Lines...) },
		"screen": func(p *tmux.Keypress) { p.Screen.AltScreen = true },
	} {
		other := press
		other.Screen.Lines = append([]string{}, seen.Lines...)
		change(&other)
		if refusal, detail, err := pane.Press(t.Context(), other); refusal != tmux.Changed || err != nil {
			t.Errorf("another %s: got %q (%s), %v; want %q", name, refusal, detail, err, tmux.Changed)
		}
	}

	foreign := press
	foreign.Owner = "somebody"
	if refusal, _, err := pane.Press(t.Context(), foreign); refusal != tmux.Foreign || err != nil {
		t.Errorf("another owner: got %q, %v; want %q", refusal, err, tmux.Foreign)
	}

	if refusal, detail, err := pane.Press(t.Context(), press); refusal != tmux.NoRefusal || err != nil {
		t.Fatalf("got %q (%s), %v", refusal, detail, err)
	}
	after := tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "   2") })

	if refusal, _, err := pane.Press(t.Context(), tmux.Keypress{
		Owner: owner, Screen: after, To: 15, Text: "grün ; \"x\" #{pid}", Untouched: time.Now(),
	}); refusal != tmux.NoRefusal || err != nil {
		t.Fatalf("a text: got %q, %v", refusal, err)
	}
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, `grün ; "x" #{pid}`) })
}

func TestPressRefusesWhatIsNoKey(t *testing.T) {
	pane := new(tmux.Server).Pane("%1")
	screen := tmux.Screen{Lines: []string{"x"}}
	for _, p := range []tmux.Keypress{
		{Owner: "me", Screen: screen, To: 1, Key: "C-c"},
		{Owner: "me", Screen: screen, To: 1, Key: "12"},
		{Owner: "me", Screen: screen, To: 1},
		{Owner: "me", Screen: screen, To: 1, Text: "a\nb"},
		{Owner: "me", Screen: screen, To: 1, Text: "\x1b[201~"},
		{Owner: "me", Screen: screen, To: 2, Key: "1"},
		{Owner: "me", Screen: screen, Key: "1"},
		{Screen: screen, To: 1, Key: "1"},
	} {
		if _, _, err := pane.Press(t.Context(), p); err == nil {
			t.Errorf("%+v was not refused", p)
		}
	}
}

// ownedShell runs a script in a pane that is owned.
func ownedShell(t *testing.T, s *tmux.Server, script string) (*tmux.Pane, string) {
	t.Helper()
	const owner = "0b5f6c1e-7f5e-4d4f-9d51-6d6f0f5b3c11"
	info := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: "shell", Owner: owner, Argv: []string{"sh", "-c", script}, Width: 100, Height: 40,
	}))(t)
	return s.Pane(info.ID), owner
}

func TestReturnKeyLeaves(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	for what, keys := range map[string][]string{"the key": {tmux.ReturnKey}, "tmux's own": {"C-b", "d"}} {
		person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)
		shown := tmuxtest.WaitFor(t, person.Pane,
			func(s tmux.Screen) bool { return tmuxtest.Shows(s, tmux.ReturnKey+" returns") })

		if last := strings.TrimSpace(shown.Lines[shown.Height-1]); !strings.HasSuffix(last, tmux.ReturnKey+" returns") {
			t.Errorf("%s: the last line is %q", what, last)
		}

		person.Press(keys...)
		person.WaitLeft()
	}

	tmuxtest.WaitFor(t, pane,
		func(s tmux.Screen) bool { return s.CursorLine() == tmuxtest.Prompt }) // no key went to the program
}

// The person's own tmux passes the key on to the client in one of its panes, and stays
// attached.
func TestReturnKeyLeavesFromWithinAnotherTmux(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, _, _ := agent(t, s, tmuxtest.Agent{})
	theirs := tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	around := tmuxtest.Attach(t, theirs.Terminal, theirs.Pane.ID(), 80, 24)
	around.Press(tmux.ReturnKey)
	theirs.WaitLeft()
	if info, err := around.Pane.Info(t.Context()); err != nil || info.Dead {
		t.Errorf("their own tmux was left too: %+v, %v", info, err)
	}
}

func TestReturnKeyWorksInEveryMode(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{Deaf: 1})
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	tmuxCommand(t, s, "copy-mode", "-t", pane.ID())
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	if info := must.Have(pane.Info(t.Context()))(t); info.InMode {
		t.Error("copy mode goes on where nobody sees it")
	}

	person = tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	leaves(t, pane, owner, func() { person.Press(tmux.ReturnKey); person.WaitLeft() })

	composes(t, pane, "ours")
}

// A daemon also binds the key on a server that an older daemon started.
func TestReturnKeyIsBoundOnARunningServer(t *testing.T) {
	t.Parallel()
	opts := tmuxtest.Options(t)
	first := must.Have(tmux.Open(t.Context(), opts))(t)

	tmuxCommand(t, first, "unbind-key", "-T", "root", tmux.ReturnKey)
	if err := first.Close(); err != nil {
		t.Error(err)
	}

	s := tmuxtest.StartWith(t, opts)
	if keys := tmuxCommand(t, s, "list-keys", "-T", "root", tmux.ReturnKey); !strings.Contains(keys, "detach-client") {
		t.Errorf("the key is %q", keys)
	}
}

// takes submits “ours” to an agent that takes it, and calls entered after the key.
func takes(t *testing.T, pane *tmux.Pane, owner string, entered func()) {
	t.Helper()
	ends(t, pane, tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", Next: guide{shown: shows("ours"),
			taken: emptied}.next(), OnEntered: entered,
	}, tmux.Taken, tmux.NoRefusal)
}

// leaves submits “ours” to an agent that does not take it, and calls entered after the key.
func leaves(t *testing.T, pane *tmux.Pane, owner string, entered func()) {
	t.Helper()
	must.Have(pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", OnEntered: entered,
		Next: guide{shown: shows("ours"), taken: emptied, within: time.Millisecond}.next(),
	}))(t)
}

// composes waits until a fake agent's composer holds text.
func composes(t *testing.T, pane *tmux.Pane, text string) {
	t.Helper()
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return s.CursorLine() == tmuxtest.Prompt+" "+text })
}

func TestKeysAfterTheEnterWaitUntilTheTextIsTaken(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{Late: time.Second})
	press := tmuxtest.Attach(t, s, pane.ID(), 200, 50).Press
	takes(t, pane, owner, func() { press("-l", "theirs") })
	composes(t, pane, "theirs")
	press("-l", " too")
	composes(t, pane, "theirs too")
	gets(t, log, "ours")
}

func TestKeysStopWaitingOnceTheTextIsTaken(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	tmuxtest.Attach(t, s, pane.ID(), 200, 50)
	waiting := func() string { return tmuxCommand(t, s, "display-message", "-p", "-t", pane.ID(), "#{@parley_hold}") }
	takes(t, pane, owner, func() {
		if got := waiting(); got != "1" {
			t.Errorf("the keys wait for message %q, want 1", got)
		}
	})
	tmuxtest.Poll(t, func() bool { return waiting() == "" }, waiting)
}

// keysOfTheDead presses keys that wait for a process that is gone.
func keysOfTheDead(t *testing.T) (*tmux.Server, *tmux.Pane) {
	t.Helper()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{Deaf: 1})
	press := tmuxtest.Attach(t, s, pane.ID(), 200, 50).Press
	leaves(t, pane, owner, func() {
		tmuxCommand(t, s, "set-option", "-t", pane.ID(), "@parley_hold", "another's")
		press("-l", " and theirs")
	})
	return s, pane
}

// The process that made the keys wait may be dead when a person presses one.
func TestKeysDoNotWaitForever(t *testing.T) {
	t.Parallel()
	s, pane := keysOfTheDead(t)
	composes(t, pane, "ours and theirs")
	if got := tmuxCommand(t, s, "show-options", "-t", pane.ID(), "key-table"); got != "" {
		t.Errorf("the session is left with %s", got)
	}
}

// A process that begins where another was killed lets them go at once.
func TestKeysAreReleasedForAProcessThatIsGone(t *testing.T) {
	t.Parallel()
	_, pane := keysOfTheDead(t)
	if waited := must.Have(pane.ReleaseKeys(t.Context()))(t); !waited {
		t.Error("no keys waited")
	}
	if waited := must.Have(pane.ReleaseKeys(t.Context()))(t); waited {
		t.Error("keys wait again")
	}
	composes(t, pane, "ours and theirs")
}

func TestPrefixWorksWhileKeysWait(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{Deaf: 1})
	press := tmuxtest.Attach(t, s, pane.ID(), 200, 50).Press
	leaves(t, pane, owner, func() { press("C-b", "d") })

	tmuxtest.Poll(t, func() bool {
		return tmuxCommand(t, s, "display-message", "-p", "-t", pane.ID(), "#{session_attached}") == "0"
	}, func() string { return "the person is still attached" })

	composes(t, pane, "ours")
}
