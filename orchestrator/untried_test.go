package orchestrator

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/trial"
	"parley/tmux/tmuxtest"
)

// robots is a team whose agents run a program with versions.
type robots struct {
	*testTeam
	checks, program, asked string
}

func newRobots(t *testing.T) *robots {
	checks := t.TempDir()
	argv := string(must.Have(json.Marshal(append([]string{"robo"}, tmuxtest.Agent{}.Argv()[1:]...)))(t))
	te := newTeam(t, func(o *Options) {
		o.Settings.Checks = checks
		known := "{extends: framed, command: " + argv + ", version: [--version], tested: [1.2.3, 2.0.0]}"
		o.Profiles = must.Have(o.Profiles.With("robo", []byte(known)))(t)
	})
	return &robots{te, checks, filepath.Join(te.dir, "robo"), filepath.Join(te.dir, "asked")}
}

// install installs a version of the program, which notes that it was asked for it.
func (r *robots) install(version string) {
	r.t.Helper()
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = --version ]; then echo %s >> %s; echo robo %s; exit; fi\n"+
		"test $# != 0 || exec cat\nexec %s \"$@\"\n",
		version, r.asked, version, shellWord(must.Have(os.Executable())(r.t)))
	fresh := r.program + ".new"
	must.Do(r.t, os.WriteFile(fresh, []byte(script), 0o700))
	must.Do(r.t, os.Rename(fresh, r.program))
}

// argv is the command of one.
func (r *robots) argv() []string { return append([]string{r.program}, tmuxtest.Agent{}.Argv()[1:]...) }

// found keeps what a check would have found.
func (r *robots) found(version string, verdict trial.Verdict) {
	r.t.Helper()
	must.Do(r.t, trial.Keep(r.checks, trial.Result{
		Profile: "robo", Version: version, At: time.Now(),
		Findings: []trial.Finding{{Guarantee: trial.Rest, Verdict: verdict}},
	}))
}

// markers waits until an agent is typed to with markers, or without.
func (r *robots) markers(name string, want bool) {
	r.t.Helper()
	tmuxtest.Poll(r.t, func() bool { return r.roster.ByName(name).Terminal().Profile.HasMarkers() == want },
		func() string { return fmt.Sprintf("%s is typed to with markers: %v", name, !want) })
}

// A program that its check found to be misread is typed to as any program, and needs the operator, until that is mended
// or dismissed.
func TestAMisreadProgramIsTypedToAsAny(t *testing.T) {
	t.Parallel()
	te := newRobots(t)
	te.install("2.0.0")
	te.start(parley.LaunchAgentRequest{Name: "ann", Command: te.argv()})
	te.inState("ann", parley.StateIdle)
	te.markers("ann", true)

	te.found("2.0.0", trial.Fails)
	n := te.need(parley.NeedMisread)
	te.wantNeed(n, "ann", "runs robo 2.0.0, whose screen it misreads (rest fails)", "parley profiles check robo")
	te.markers("ann", false)
	te.arrived(te.send("ann", "with care"))
	status := must.Have(op.GetAgentStatus.Call(te.operator(), te, parley.AgentStatusRequest{Agent: "ann"}))(t).Agents[0]
	if c := status.Checked; c == nil || !c.Fails || c.Version != "2.0.0" || c.Words != "rest fails" {
		t.Errorf("ann's program was checked: %+v", c)
	}
	if status.Profile != "robo" {
		t.Errorf("ann has the profile %s", status.Profile)
	}

	// The next daemon knows it, too.
	te.reopen(func(*Options) {})
	te.markers("ann", false)
	te.needs(string(parley.NeedMisread))
	te.nothingNeeded()
	te.found("2.0.0", trial.Holds)
	te.markers("ann", true)
	te.arrived(te.send("ann", "as before"))
}

// The operator has the program of an agent checked where the agent is, and a model is not asked.
func TestTheProgramOfAnAgentIsChecked(t *testing.T) {
	t.Parallel()
	te := newRobots(t)
	te.install("2.0.1")
	te.start(parley.LaunchAgentRequest{Name: "ann", Command: te.argv()})
	te.need(parley.NeedUntried)
	res := must.Have(op.CheckProgram.Call(te.operator(), te, parley.CheckProgramRequest{Agent: "ann"}))(t)
	if res.Profile != "robo" || res.Version != "2.0.1" || !strings.Contains(res.Message, "is being checked") {
		t.Errorf("got %+v", res)
	}
	again := must.Have(op.CheckProgram.Call(te.operator(), te, parley.CheckProgramRequest{Agent: "ann"}))(t)
	if again.Message == res.Message && !strings.Contains(again.Message, "already") {
		t.Errorf("twice at once: %+v", again)
	}

	var checked *parley.ProgramCheck
	tmuxtest.Poll(t, func() bool {
		checked = must.Have(op.GetAgentStatus.Call(te.operator(), te, parley.AgentStatusRequest{Agent: "ann"}))(t).
			Agents[0].Checked
		return checked != nil
	}, func() string { return fmt.Sprintf("it was not checked: %+v", te.needs("")) })
	if !strings.Contains(checked.Words, "rest, draft") ||
		!strings.Contains(checked.Words, "door, hooks, dialogs, refusal not tried") {
		t.Errorf("it was found: %s", checked.Words)
	}
	ann := must.Have(op.GetAgentStatus.Call(te.member("ann"), te, parley.AgentStatusRequest{}))(t).Agents[0]
	if ann.Checked != nil {
		t.Errorf("an agent is told of it: %+v", ann.Checked)
	}
	if _, err := op.CheckProgram.Call(te.operator(), te,
		parley.CheckProgramRequest{Agent: "operator"}); parley.ErrorCode(
		err) != parley.InvalidArgument {
		t.Errorf("the operator's own program: %v", err)
	}
}

// An agent's program that is newer than what its profile was tried with is a need until it is checked, or dismissed.
func TestAnUntriedProgramNeedsTheOperator(t *testing.T) {
	t.Parallel()
	te := newRobots(t)
	// One whose screen tells nothing goes on starting, and needs the check the most.
	te.install("2.0.1")
	te.start(parley.LaunchAgentRequest{Name: "mute", Command: []string{te.program}})
	te.wantNeed(te.need(parley.NeedUntried), "mute", "runs robo 2.0.1", "parley profiles check robo")
	te.stop("mute")
	te.nothingNeeded()

	// Two agents of one program are one need, and it is asked once.
	te.start(parley.LaunchAgentRequest{Name: "ann", Command: te.argv()})
	te.start(parley.LaunchAgentRequest{Name: "bob", Command: te.argv()})
	n := te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 2.0.1, which is newer", "parley profiles check robo")

	// It is gone once it is checked, for the next daemon too, which asks for itself.
	te.found("2.0.1", trial.Holds)
	te.nothingNeeded()

	// A later version is untried again. The agents run, as an earlier daemon launched them.
	te.install("2.1.0")
	te.reopen(func(*Options) {})
	n = te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 2.1.0", "parley profiles check robo")
	te.needs(string(parley.NeedUntried))
	te.nothingNeeded()
	te.reopen(func(*Options) {})

	// One that was tried is none, and another shows that the daemon has looked.
	te.install("3.0.0")
	n = te.need(parley.NeedUntried)
	te.wantNeed(n, n.Agent, "runs robo 3.0.0", "parley profiles check robo")
	te.install("2.0.0")
	te.nothingNeeded()

	told := strings.Fields(string(must.Have(os.ReadFile(te.asked))(t)))
	if got, want := strings.Join(told, " "), "2.0.1 2.1.0 3.0.0 2.0.0"; got != want {
		t.Errorf("it was asked in the versions %s, want %s", got, want)
	}
}
