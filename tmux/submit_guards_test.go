package tmux_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

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
	var second time.Time
	out := ends(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "once more", Next: func(m tmux.Moment) tmux.Step {
		if m.Phase == tmux.Entered && !m.Again {
			second = time.Now()
		}
		switch {
		case m.Phase == tmux.Unknown:
			return tmux.Step{Do: tmux.Paste}
		case m.Again:
			return tmux.Step{Do: tmux.Stop, Reason: tmux.NotTaken}
		}
		return tmux.Step{Do: tmux.Press}
	}}, tmux.Entered, tmux.NotTaken)
	if !out.Again || out.EnteredAt.Before(second) {
		t.Errorf("got %+v, want a second key after %v", out, second)
	}
	if info, err := pane.Info(t.Context()); err != nil || info.Phase != "entered-again" {
		t.Errorf("the pane remembers %q, %v; want entered-again", info.Phase, err)
	}
}

// A clock that is set back leaves a person's last key in the future, for as long as they are attached.
func TestAKeyInTheFutureDoesNotCount(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	tmuxtest.Attach(t, s, pane.ID(), 100, 30)

	now := time.Now().Add(-time.Hour) // as the clock says now
	sub := tmux.Submission{Owner: owner, Seq: 1, Text: "later", Untouched: now.Add(-time.Second),
		Next: guide{shown: shows("later")}.next()}
	ends(t, pane, sub, tmux.Refused, tmux.Touched)

	tmuxtest.Poll(t, func() bool { // their terminal may still answer tmux, which counts as a key
		sub.Ahead = must.Have(pane.Screen(t.Context(), tmux.ScreenOptions{}))(t).Ahead(now)
		return must.Have(pane.Submit(t.Context(), sub))(t).Phase != tmux.Refused
	}, func() string { return "their last key still counts" })
	gets(t, log, "later")
}

func TestSubmitToManyPanesAtOnce(t *testing.T) {
	s := tmuxtest.Start(t)
	const panes, each = 50, 4
	type target struct {
		pane       *tmux.Pane
		owner, log string
	}

	targets := make([]target, panes)
	dir := t.TempDir()
	var launched sync.WaitGroup
	for i := range targets {
		launched.Go(func() {
			p, o, l := agent(t, s, tmuxtest.Agent{Log: filepath.Join(dir, fmt.Sprint(i))})
			targets[i] = target{p, o, l}
		})
	}

	launched.Wait()
	var sent sync.WaitGroup
	for i, to := range targets {
		sent.Go(func() {
			for n := range each {
				out, err := to.pane.Submit(t.Context(),
					tmux.Submission{Owner: to.owner, Seq: uint64(n + 1), Text: fmt.Sprintf("%d/%d", i, n)})
				if err != nil || out.Phase != tmux.Entered {
					t.Errorf("pane %d: %+v, %v", i, out, err)
				}
			}
		})
	}

	sent.Wait()
	for i, to := range targets {
		var want []string
		for n := range each {
			want = append(want, fmt.Sprintf("%d/%d", i, n))
		}

		gets(t, to.log, want...)
	}
}

func TestManyResumesPressOnce(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	ends(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "once", Next: stopped}, tmux.Pasted, tmux.Blocked)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if out, err := pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: 1, Resume: true}); err != nil {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}

	all.Wait()

	// After a second message nothing of the first is still on its way.
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 2, Text: "end"})
	gets(t, log, "once", "end")
}
