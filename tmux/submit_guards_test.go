package tmux_test

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestSubmitStopsBeforeADialog(t *testing.T) {
	s := tmuxtest.Start(t)
	dialog := filepath.Join(t.TempDir(), "dialog")
	pane, owner, log := agent(t, s, tmuxtest.Agent{Dialog: dialog})
	sub := tmux.Submission{
		Owner: owner, Seq: 1, Text: "do it", Next: guide{shown: shows("do it")}.next(), OnPasted: func() {
			tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "do it") })
			if err := os.WriteFile(dialog, nil, 0o600); err != nil {
				t.Error(err)
			}
			tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, tmuxtest.DialogText) })
		},
	}

	ends(t, pane, sub, tmux.Pasted, tmux.Blocked)
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("the dialog was answered: %+v", got)
	}
	must.Do(t, os.Remove(dialog))

	sub.Resume, sub.OnPasted = true, nil
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "do it") })
	enters(t, pane, sub)
	gets(t, log, "do it")
}

func TestSubmitAsksAgainBeforeTheKey(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	out := ends(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "x", Next: func(m tmux.Moment) tmux.Step {
		if m.Phase == tmux.Unknown {
			return tmux.Step{Do: tmux.Paste}
		}
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady, Detail: "somebody types"}
	}}, tmux.Pasted, tmux.NotReady)
	if out.Detail != "somebody types" || len(out.Screen) == 0 {
		t.Errorf("got %+v, want a detail and a screen", out)
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("entered: %+v", got)
	}
}

func TestSubmitPressesAgain(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	out := ends(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "once more", Next: func(m tmux.Moment) tmux.Step {
		switch {
		case m.Phase == tmux.Unknown:
			return tmux.Step{Do: tmux.Paste}
		case m.Again:
			return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
		}
		return tmux.Step{Do: tmux.Press}
	}}, tmux.Entered, tmux.NotTaken)
	if !out.Again {
		t.Errorf("got %+v, want a second key", out)
	}
	if info, err := pane.Info(t.Context()); err != nil || info.Phase != "entered-again" {
		t.Errorf("the pane remembers %q, %v; want entered-again", info.Phase, err)
	}
}
