package tmux_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// shell starts a session that runs a script.
func shell(t *testing.T, s *tmux.Server, name, script string) *tmux.Pane {
	t.Helper()
	return owned(t, s, name, script, "")
}

// owned starts a shell whose pane has an owner.
func owned(t *testing.T, s *tmux.Server, name, script, owner string) *tmux.Pane {
	t.Helper()
	options := tmux.SessionOptions{Name: name, Owner: owner, Argv: []string{"sh", "-c", script}}
	return s.Pane(must.Have(s.NewSession(t.Context(), options))(t).ID)
}

// showsKeys prints the bytes of each key in letters.
const showsKeys = "stty raw -echo; echo ready; exec cat -v"

// viewed returns the session that a person sees.
func viewed(t *testing.T, s *tmux.Server) string {
	t.Helper()
	seen := tmuxCommand(t, s, "list-clients", "-F", "#{?client_control_mode,,#{client_session}}")
	return strings.TrimSpace(seen)
}

func TestShiftEnterIsANewLineKey(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane := shell(t, s, "coder", strings.Replace(showsKeys, "-v", "-ve", 1)) // which shows Ctrl+J as $
	tmuxtest.WaitFor(t, pane, shows("ready"))
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)

	tmuxtest.Poll(t, func() bool { // their terminal sends the key only once it was asked to
		person.Press("x", "S-Enter")
		return shows("x$")(must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{}))(t))
	}, func() string { return "Shift+Enter is no new line" })

	person.Press("y", "Enter")
	tmuxtest.WaitFor(t, pane, shows("y^M"))
}

func TestKeysShowNextAndPreviousAgent(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	for _, name := range []string{"Alice", "bob", "coder"} { // the hub is between them
		shell(t, s, name, showsKeys)
	}
	pane := s.Pane(tmuxCommand(t, s, "list-panes", "-t", "=Alice:", "-F", "#{pane_id}"))
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)

	for i, step := range []struct {
		keys []string
		want string
	}{
		{[]string{"F9"}, "bob"}, {[]string{"F9"}, "coder"}, {[]string{"F9"}, "Alice"}, {[]string{"F8"}, "coder"},
		{[]string{"C-b", "p"}, "bob"}, {[]string{"C-b", "p"}, "Alice"}, {[]string{"C-b", "n"}, "bob"},
	} {
		person.Press(step.keys...)
		tmuxtest.Poll(t, func() bool { return viewed(t, s) == step.want },
			func() string { return fmt.Sprintf("step %d: they see %s, want %s", i, viewed(t, s), step.want) })
	}

	person.Press("C-b", "s")
	list := tmuxtest.WaitFor(t, person.Pane, shows("coder"))
	if tmuxtest.Shows(list, "_hub") {
		t.Errorf("the list has the hub:\n%s", list.Text())
	}
}

func TestWheelScrollsUntilThePersonLeaves(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane := shell(t, s, "coder", "seq 200; "+showsKeys)
	tmuxtest.WaitFor(t, pane, shows("ready"))
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)
	inMode := func(want bool) {
		t.Helper()
		tmuxtest.Poll(t, func() bool { return must.Have(pane.Info(t.Context()))(t).InMode == want },
			func() string { return fmt.Sprintf("in copy mode: %v", !want) })
	}

	person.Press("-l", "\x1b[<64;10;10M")
	inMode(true)
	person.Press("-l", strings.Repeat("\x1b[<65;10;10M", 3)) // down again, to the end
	inMode(false)

	person.Press("-l", "\x1b[<64;10;10M")
	inMode(true)
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	inMode(false)
	if screen := must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{}))(t); tmuxtest.Shows(screen, "[") {
		t.Errorf("keys reached the program:\n%s", screen.Text())
	}
}

// A program that fills the whole screen and does not ask for the mouse has no history to show.
func TestWheelLeavesAFullScreenAlone(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane := shell(t, s, "coder", `printf '\033[?1049h'; `+showsKeys)
	tmuxtest.WaitFor(t, pane, shows("ready"))
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)

	person.Press("-l", "\x1b[<64;10;10M")
	person.Press("x") // after it, in the person's order
	tmuxtest.WaitFor(t, pane, shows("x"))
	if must.Have(pane.Info(t.Context()))(t).InMode {
		t.Error("in copy mode")
	}
}

func TestStatusLineNamesTheAgent(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	const name = "an-agent-with-a-really-long-name"
	pane := shell(t, s, name, showsKeys)
	person := tmuxtest.Attach(t, s, pane.ID(), 100, 30)

	must.Do(t, pane.SetBar(t.Context(), "busy, 2 messages wait"))
	tmuxtest.WaitFor(t, person.Pane, shows("["+name+"] busy, 2 messages wait"))
	if pane.SetBar(t.Context(), "#[reverse]") == nil {
		t.Error("a style was taken")
	}
}

// The settings of a View can be taken back by a later daemon.
func TestViewCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	opts := tmuxtest.Options(t)
	must.Do(t, must.Have(tmux.Open(t.Context(), opts))(t).Close())

	opts.View = tmux.View{}
	s := tmuxtest.StartWith(t, opts)
	for option, want := range map[string]string{
		"-gv mouse": "off", "-sv extended-keys": "off", "-sv set-clipboard": "off", "-gv status": "off",
	} {
		if got := tmuxCommand(t, s, append([]string{"show-options"}, strings.Fields(option)...)...); got != want {
			t.Errorf("%s: got %s, want %s", option, got, want)
		}
	}
	if keys := tmuxCommand(t, s, "list-keys", "-T", "root"); strings.Contains(keys, "S-Enter") ||
		strings.Contains(keys, "F9") {
		t.Errorf("still bound:\n%s", keys)
	}
}

func TestOnlyTheFirstTerminalsKeepALongHistory(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	for i := range tmux.FullHistories + 1 {
		shell(t, s, fmt.Sprintf("agent%d", i), "exec cat")
	}

	limits := strings.Fields(tmuxCommand(t, s, "list-panes", "-a", "-F", "#{history_limit}"))
	long := slices.DeleteFunc(slices.Clone(limits), func(limit string) bool { return limit != "10000" })
	if len(long) != tmux.FullHistories || !slices.Contains(limits, "1000") {
		t.Errorf("the limits are %v", limits)
	}
}
