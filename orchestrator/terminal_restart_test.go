package orchestrator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/tmux/tmuxtest"
)

// The directory is gone after `stop --remove`, for one. What runs is left to run.
func TestRestartIsRefusedWhereTheDirectoryIsGone(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	work := filepath.Join(te.dir, "worktree")
	must.Do(t, os.Mkdir(work, 0o700))
	program := tmuxtest.Agent{}
	te.start(parley.LaunchAgentRequest{Name: "coder", Dir: work, Profile: "quick", Command: program.Argv()})
	te.inState("coder", parley.StateIdle)
	must.Do(t, os.Remove(work))

	for _, fresh := range []bool{false, true} {
		_, err := te.RestartAgent(te.operator(), parley.RestartAgentRequest{Agent: "coder", Fresh: fresh})
		if e := parley.AsError(err); e.Code != parley.InvalidArgument || !strings.Contains(e.Message, work) ||
			!strings.Contains(e.Action, "parley launch coder --worktree -- ") {
			t.Errorf("fresh %t: %v (%s, %q)", fresh, err, e.Code, e.Action)
		}
	}
	te.inState("coder", parley.StateIdle)
}
