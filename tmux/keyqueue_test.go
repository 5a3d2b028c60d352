package tmux_test

import (
	"testing"
	"time"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

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
