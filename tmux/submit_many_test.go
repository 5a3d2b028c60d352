package tmux_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"parley/tmux"
	"parley/tmux/tmuxtest"
)

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
