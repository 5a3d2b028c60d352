package tmux_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestSubmitStopsBeforeADialog(t *testing.T) {
	s := tmuxtest.Start(t)
	dialog := filepath.Join(t.TempDir(), "dialog")
	pane, owner, log := agent(t, s, tmuxtest.Agent{Dialog: dialog})
	sub := tmux.Submission{
		Owner: owner, Seq: 1, Text: "do it", Settle: 100 * time.Millisecond,
		Shown: shows("do it"), OnPasted: func() {
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
	if err := os.Remove(dialog); err != nil {
		t.Fatal(err)
	}

	sub.Resume, sub.OnPasted = true, nil
	tmuxtest.WaitFor(t, pane, func(s tmux.Screen) bool { return tmuxtest.Shows(s, "do it") })

	enters(t, pane, sub)
	want := []tmuxtest.Message{{Text: "do it", Framed: true}}
	if diff := cmp.Diff(want, tmuxtest.WaitMessages(t, log, 1)); diff != "" {
		t.Error(diff)
	}
}

func TestSubmitAsksReadyAgainBeforeTheKey(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	asked := 0
	out, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "x", Settle: time.Millisecond,
		Ready: func() error {
			if asked++; asked == 2 {
				return errors.New("somebody types")
			}
			return nil
		},
	})
	if err != nil || out.Phase != tmux.Pasted || out.Reason != tmux.NotReady || out.Detail != "somebody types" {
		t.Fatalf("got %+v, %v; want pasted, not-ready", out, err)
	}
	if got := tmuxtest.Messages(t, log); len(got) != 0 {
		t.Fatalf("entered: %+v", got)
	}
}

func TestSubmitDoesNotPressWhatDoesNotShow(t *testing.T) {
	s := tmuxtest.Start(t)
	for name, busy := range map[string]bool{"never shown": false, "never still": true} {
		t.Run(name, func(t *testing.T) {
			pane, owner, log := agent(t, s, tmuxtest.Agent{Busy: busy})
			sub := tmux.Submission{
				Owner:      owner,
				Seq:        1,
				Text:       "x y z",
				Shown:      shows("something else"),
				ShowWithin: 300 * time.Millisecond,
			}

			if busy {
				sub.Shown, sub.Settle, sub.ShowWithin = shows("x y z"), 100*time.Millisecond, time.Second
			}

			out, err := pane.Submit(t.Context(), sub)
			if err != nil || out.Phase != tmux.Pasted || out.Reason != tmux.NotShown || len(out.Screen) == 0 {
				t.Fatalf("got %+v, %v; want pasted, not-shown, with a screen", out, err)
			}
			if got := tmuxtest.Messages(t, log); len(got) != 0 {
				t.Fatalf("entered: %+v", got)
			}
			if !busy {
				return
			}

			sub.Resume, sub.Steady = true, func(s tmux.Screen) string { return s.CursorLine() }
			if out, err := pane.Submit(t.Context(), sub); err != nil || out.Phase != tmux.Entered {
				t.Fatalf("with only the composer to be still: got %+v, %v; want entered", out, err)
			}
		})
	}
}

func TestSubmitPressesAgainOnceWhenStuck(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	stuck := 0
	out, err := pane.Submit(t.Context(), tmux.Submission{
		Owner: owner, Seq: 1, Text: "once more", TakenWithin: 600 * time.Millisecond, StuckAfter: 100 * time.Millisecond,
		Taken: func(tmux.Screen) tmux.Look { return tmux.Wait },
		Stuck: func(tmux.Screen) bool { stuck++; return true },
	})
	if err != nil || out.Phase != tmux.Entered || out.Reason != tmux.NotTaken || !out.Again || stuck != 1 {
		t.Fatalf("got %+v, %v, asked %d times; want entered, not-taken, again, asked once", out, err, stuck)
	}
	if info, err := pane.Info(t.Context()); err != nil || info.Phase != "entered-again" {
		t.Errorf("the pane records %q, %v; want entered-again", info.Phase, err)
	}
}
