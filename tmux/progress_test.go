package tmux_test

import (
	"testing"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestProgressStaysWithThePane(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 5, Text: "five"})

	tmuxCommand(t, s, "break-pane", "-d", "-s", pane.ID(), "-n", "elsewhere")
	if info := must.Have(pane.Info(t.Context()))(t); info.Seq != 5 || info.Phase != tmux.PaneEntered {
		t.Errorf("after a move it is at %d, %q, want 5, entered", info.Seq, info.Phase)
	}

	must.Do(t, pane.Release(t.Context(), owner))
	if info := must.Have(pane.Info(t.Context()))(t); info.Seq != 0 || recorded(t, s) != "" {
		t.Errorf("after its release it is at %d; left is %q", info.Seq, recorded(t, s))
	}

	must.Do(t, pane.Claim(t.Context(), "another"))
	enters(t, pane, tmux.Submission{Owner: "another", Seq: 1, Text: "one"})
	must.Do(t, pane.Kill(t.Context(), "another"))
	if left := recorded(t, s); left != "" {
		t.Errorf("after its end there is %q", left)
	}
}

// Versions up to 0.9 recorded it in an option of the pane.
func TestProgressOfOlderVersionsCounts(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	tmuxCommand(t, s, "set-option", "-p", "-t", pane.ID(), "@parley_seq", "5.1")
	if info := must.Have(pane.Info(t.Context()))(t); info.Seq != 5 || info.Phase != tmux.PanePasted {
		t.Errorf("it is at %d, %q, want 5, pasted", info.Seq, info.Phase)
	}

	ends(t, pane, tmux.Submission{Owner: owner, Seq: 5, Text: "again"}, tmux.Refused, tmux.Repeated)
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 6, Text: "next"})
	gets(t, log, "next")
	ends(t, pane, tmux.Submission{Owner: owner, Seq: 6, Text: "again"}, tmux.Refused, tmux.Repeated)
}

// Whoever writes something else there must not hold up messages for ever.
func TestARecordThatIsNoNumberCountsAsNone(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, log := agent(t, s, tmuxtest.Agent{})
	tmuxCommand(t, s, "set-option", "-p", "-t", pane.ID(), "@parley_seq", "five")
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 6, Text: "six"})
	gets(t, log, "six")
}

// What parley records is not in the environment of programs.
func TestProgressIsNotInherited(t *testing.T) {
	s := tmuxtest.Start(t)
	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	enters(t, pane, tmux.Submission{Owner: owner, Seq: 1, Text: "one"})

	later := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: tmuxtest.Name("later"), Argv: []string{"sh", "-c", "env | grep -c PARLEY_SEQ; exec cat"},
	}))(t)
	tmuxtest.WaitFor(t, s.Pane(later.ID), func(s tmux.Screen) bool { return tmuxtest.Shows(s, "0") })
}

// recorded returns what the server's environment holds of parley's.
func recorded(t *testing.T, s *tmux.Server) string {
	t.Helper()
	return tmuxCommand(t, s, "show-environment", "-gh")
}
