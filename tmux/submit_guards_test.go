package tmux_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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

	out, err := pane.Submit(t.Context(), sub)
	if err != nil || out.Phase != tmux.Pasted || out.Reason != tmux.Blocked {
		t.Fatalf("got %+v, %v; want pasted, blocked", out, err)
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("the dialog was answered: %+v", got)
	}
	must.Do(t, os.Remove(dialog))

	sub.Resume, sub.OnPasted = true, nil
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "do it") })

	out, err = pane.Submit(t.Context(), sub)
	if err != nil || out.Phase != tmux.Entered {
		t.Fatalf("resumed: got %+v, %v; want entered", out, err)
	}

	want := []tmuxtest.Message{{Text: "do it", Framed: true}}
	if diff := cmp.Diff(want, tmuxtest.WaitMessages(t, log, 1)); diff != "" {
		t.Error(diff)
	}
}

func TestSubmitAsksAgainBeforeTheKey(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	out, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: 1, Text: "x", Next: func(m tmux.Moment) tmux.Step {
		if m.Phase == tmux.Unknown {
			return tmux.Step{Do: tmux.Paste}
		}
		return tmux.Step{Do: tmux.Stop, Reason: tmux.NotReady, Detail: "somebody types"}
	}})
	if err != nil || out.Phase != tmux.Pasted || out.Reason != tmux.NotReady || out.Detail != "somebody types" {
		t.Fatalf("got %+v, %v; want pasted, not-ready", out, err)
	}
	if len(out.Screen) == 0 {
		t.Error("the outcome has no screen")
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("entered: %+v", got)
	}
}

func TestSubmitPressesAgain(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	out, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: 1, Text: "once more", Next: func(m tmux.Moment) tmux.Step {
		switch {
		case m.Phase == tmux.Unknown:
			return tmux.Step{Do: tmux.Paste}
		case m.Again:
			return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
		}
		return tmux.Step{Do: tmux.Press}
	}})
	if err != nil || out.Phase != tmux.Entered || out.Reason != tmux.NotTaken || !out.Again {
		t.Fatalf("got %+v, %v; want entered, not-taken, again", out, err)
	}
	if info, err := pane.Info(t.Context()); err != nil || info.Phase != "entered-again" {
		t.Errorf("the pane remembers %q, %v; want entered-again", info.Phase, err)
	}
}
