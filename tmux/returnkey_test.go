package tmux_test

import (
	"strings"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

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
