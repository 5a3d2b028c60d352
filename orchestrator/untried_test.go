package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/trial"
	"parley/tmux/tmuxtest"
)

// An agent's program that is newer than what its profile was tried with is a need until it is checked, or dismissed.
func TestAnUntriedProgramNeedsTheOperator(t *testing.T) {
	t.Parallel()
	checks := t.TempDir()
	te := newTeam(t, func(o *Options) {
		o.Settings.Checks = checks
		known := "{extends: framed, command: [robo], version: [--version], tested: [1.2.3, 2.0.0]}"
		o.Profiles = must.Have(o.Profiles.With("robo", []byte(known)))(t)
	})
	program, asked := filepath.Join(te.dir, "robo"), filepath.Join(te.dir, "asked")
	install := func(version string) {
		t.Helper()
		script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --version ]; then echo %s >> %s; echo robo %s; exit; fi\n"+
			"test $# != 0 || exec cat\nexec %s \"$@\"\n",
			version, asked, version, shellWord(must.Have(os.Executable())(t)))
		fresh := program + ".new"
		must.Do(t, os.WriteFile(fresh, []byte(script), 0o700))
		must.Do(t, os.Rename(fresh, program))
	}

	// One whose screen tells nothing goes on starting, and needs the check the most.
	install("2.0.1")
	te.start(parley.LaunchAgentRequest{Name: "mute", Command: []string{program}})
	te.wantNeed(te.need(parley.NeedUntried), "mute", "runs robo 2.0.1", "parley profiles check robo")
	te.stop("mute")
	te.nothingNeeded()

	// Two agents of one program are one need, and it is asked once.
	argv := append([]string{program}, tmuxtest.Agent{}.Argv()[1:]...)
	te.start(parley.LaunchAgentRequest{Name: "ann", Command: argv})
	te.start(parley.LaunchAgentRequest{Name: "bob", Command: argv})
	n := te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 2.0.1, which is newer", "parley profiles check robo")

	// It is gone once it is checked, for the next daemon too, which asks for itself.
	must.Do(t, trial.Keep(checks, trial.Result{Profile: "robo", Version: "2.0.1", At: time.Now()}))
	te.nothingNeeded()

	// A later version is untried again. The agents run, as an earlier daemon launched them.
	install("2.1.0")
	te.reopen(func(*Options) {})
	n = te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 2.1.0", "parley profiles check robo")
	te.needs(trial.UntriedNeed)
	te.nothingNeeded()
	te.reopen(func(*Options) {})

	// One that was tried is none, and another shows that the daemon has looked.
	install("3.0.0")
	n = te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 3.0.0", "parley profiles check robo")
	install("2.0.0")
	te.nothingNeeded()

	told := strings.Fields(string(must.Have(os.ReadFile(asked))(t)))
	if got, want := strings.Join(told, " "), "2.0.1 2.1.0 3.0.0 2.0.0"; got != want {
		t.Errorf("it was asked in the versions %s, want %s", got, want)
	}
}
