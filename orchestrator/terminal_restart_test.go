package orchestrator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// A person may rename the session of an agent, or move its pane to a session of their own.
func TestStopEndsThePaneWhereverItIs(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	panes := func() string {
		return string(must.Have(tmuxCommand(te, "list-panes", "-a", "-F", "#{session_name}").Output())(t))
	}
	te.tmuxRun("new-session", "-d", "-s", "mine", "sleep", "1000")
	for _, move := range [][]string{
		{"rename-session", "-t", "=coder", "other"},
		{"join-pane", "-s", "=coder:", "-t", "=mine:"},
	} {
		te.launch("coder", "framed", tmuxtest.Agent{})
		pane := te.pane("coder")
		te.tmuxRun(move...)
		te.stop("coder")
		if _, err := pane.Info(t.Context()); !errors.Is(err, tmux.ErrNoPane) || !strings.Contains(panes(), "mine\n") {
			t.Errorf("after %s: %v; there are %q", move[0], err, panes())
		}
	}
}

// A dead pane that carries an agent's id, as an earlier parley left one behind, is no reason to lose its program.
func TestDeadPaneDoesNotReplaceALivingOne(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("new-session", "-d", "-s", "zzz", "true") // after coder in the list of panes
	id := te.roster.ByName("coder").ID
	te.tmuxRun("set-option", "-p", "-t", "=zzz:", "@parley_agent", id)
	tmuxtest.Poll(t, func() bool {
		out, err := tmuxCommand(te, "list-panes", "-t", "=zzz:", "-F", "#{pane_dead}").Output()
		return err == nil && string(out) == "1\n"
	}, func() string { return "the pane is not dead" })

	living := te.pane("coder").ID()
	te.restart()
	if got := te.pane("coder").ID(); got != living {
		t.Errorf("its pane is %s, want %s", got, living)
	}
}

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
		_, err := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder", Fresh: fresh})
		if e := parley.AsError(err); e.Code != parley.InvalidArgument || !strings.Contains(e.Message, work) ||
			!strings.Contains(e.Action, "parley launch coder --worktree -- ") {
			t.Errorf("fresh %t: %v (%s, %q)", fresh, err, e.Code, e.Action)
		}
	}
	te.inState("coder", parley.StateIdle)
}

// Where the system lets nobody make a sandbox, neither a launch in one nor a restart that comes to be in one begins: no
// agent is made, what runs is left to run, and nothing weaker takes its place.
func TestWithoutASandboxNothingIsStartedThatIsToBeInOne(t *testing.T) {
	te := newTeam(t)
	program := tmuxtest.Agent{}
	te.start(parley.LaunchAgentRequest{Name: "coder", Profile: "quick", Command: program.Argv()})
	te.inState("coder", parley.StateIdle)
	pane := te.pane("coder").ID()
	te.reopen(func(o *Options) { o.Settings.Sandbox = true })

	dir := t.TempDir()
	forbids := "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "bwrap"), []byte(forbids), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))

	_, restarted := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"})
	_, launched := op.LaunchAgent.Call(te.operator(), te,
		parley.LaunchAgentRequest{Name: "other", Profile: "quick", Command: program.Argv()})
	for act, err := range map[string]error{"restart": restarted, "launch": launched} {
		if e := parley.AsError(err); e.Code != parley.InvalidArgument || !strings.Contains(e.Message, "uid map") {
			t.Errorf("%s: %v", act, err)
		}
	}
	te.inState("coder", parley.StateIdle)
	if got := te.pane("coder").ID(); got != pane {
		t.Errorf("its pane is %s, want %s", got, pane)
	}
	if te.roster.ByName("other") != nil {
		t.Error("the launch that was refused has made an agent")
	}
}
