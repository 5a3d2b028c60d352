package tmux_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// attachPerson shows a pane's session to a person, and returns a function that presses
// keys in the person's terminal.
func attachPerson(t *testing.T, s *tmux.Server, pane *tmux.Pane) (press func(keys ...string)) {
	t.Helper()
	return tmuxtest.Attach(t, s, pane.ID(), 200, 50).Press
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
	press := attachPerson(t, s, pane)
	out, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", Next: guide{shown: shows("ours"), taken: emptied}.next(),
		OnEntered: func() { press("-l", "theirs") },
	})
	if err != nil || out.Phase != tmux.Taken {
		t.Fatalf("got %+v, %v; want taken", out, err)
	}

	composes(t, pane, "theirs")
	press("-l", " too")
	composes(t, pane, "theirs too")
	if diff := cmp.Diff([]tmuxtest.Message{{Text: "ours", Framed: true}}, tmuxtest.Messages(t, log)); diff != "" {
		t.Error(diff)
	}
}

func TestKeysStopWaitingOnceTheTextIsTaken(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	attachPerson(t, s, pane)
	waiting := func() string { return tmuxCommand(t, s, "display-message", "-p", "-t", pane.ID(), "#{@parley_hold}") }
	out, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", Next: guide{shown: shows("ours"), taken: emptied}.next(),
		OnEntered: func() {
			if got := waiting(); got != "1" {
				t.Errorf("the keys wait for message %q, want 1", got)
			}
		},
	})
	if err != nil || out.Phase != tmux.Taken {
		t.Fatalf("got %+v, %v; want taken", out, err)
	}

	tmuxtest.Poll(t, func() bool { return waiting() == "" }, waiting)
}

// The process that made the keys wait may be dead when a person presses one.
func TestKeysDoNotWaitForever(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{Deaf: 1})
	press := attachPerson(t, s, pane)
	_, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", Next: guide{shown: shows("ours"), taken: emptied, within: time.Millisecond}.next(),
		OnEntered: func() {
			tmuxCommand(t, s, "set-option", "-t", pane.ID(), "@parley_hold", "another's")
			press("-l", " and theirs")
		},
	})
	if err != nil {
		t.Fatal(err)
	}

	composes(t, pane, "ours and theirs")
	if got := tmuxCommand(t, s, "show-options", "-t", pane.ID(), "key-table"); got != "" {
		t.Errorf("the session is left with %s", got)
	}
}

func TestPrefixWorksWhileKeysWait(t *testing.T) {
	t.Parallel()
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{Deaf: 1})
	press := attachPerson(t, s, pane)
	_, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "ours", Next: guide{shown: shows("ours"), taken: emptied, within: time.Millisecond}.next(),
		OnEntered: func() { press("C-b", "d") },
	})
	if err != nil {
		t.Fatal(err)
	}

	tmuxtest.Poll(t, func() bool {
		return tmuxCommand(t, s, "display-message", "-p", "-t", pane.ID(), "#{session_attached}") == "0"
	}, func() string { return "the person is still attached" })

	composes(t, pane, "ours")
}
