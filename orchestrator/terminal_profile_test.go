package orchestrator

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// robo is the fake agent as a program that a profile knows by its name.
type robo struct {
	*testTeam
	path string // of the program
	args []string
	log  string
}

// newRobo starts a team that knows the program robo.
func newRobo(t *testing.T, a tmuxtest.Agent) *robo {
	t.Helper()
	te := newTeam(t, func(o *Options) {
		known := "{extends: framed, command: [robo], handover: {env: {ROBO_TEAM: '{{.Name}}'}}}"
		o.Profiles = must.Have(o.Profiles.With("robo", []byte(known)))(t)
	})

	r := &robo{testTeam: te, path: filepath.Join(te.dir, "robo"), log: filepath.Join(te.dir, "robo.log")}
	a.Log = r.log
	argv := a.Argv()
	r.args = argv[1:]
	must.Do(t, os.Symlink(argv[0], r.path))

	return r
}

// start launches a command as ann.
func (r *robo) start(profile string, command ...string) *parley.LaunchAgentResult {
	r.t.Helper()
	req := parley.LaunchAgentRequest{Name: "ann", Profile: profile, Command: command}
	return must.Have(op.LaunchAgent.Call(r.operator(), r, req))(r.t)
}

// hidden returns a script that runs robo without its name on the command line.
func (r *robo) hidden(rest string) []string {
	r.t.Helper()
	text := fmt.Sprintf("#!/bin/sh\n%s %s %s\n%s\n", r.path, r.args[0], shellWord(r.args[1]), rest)
	script := filepath.Join(r.dir, "start")
	must.Do(r.t, os.WriteFile(script, []byte(text), 0o700))

	return []string{script}
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// handedOver reports whether ann's program got what the profile robo hands over.
func (r *robo) handedOver(pid int) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && strings.Contains(string(env), "\x00ROBO_TEAM=ann\x00")
}

// awaitProfile waits until ann is shown with this profile.
func (r *robo) awaitProfile(profile, runs string) {
	r.t.Helper()
	var a parley.AgentStatus
	tmuxtest.Poll(r.t, func() bool {
		a = r.inState("ann", parley.StateIdle)
		return a.Profile == profile && a.Runs == runs
	}, func() string { return fmt.Sprintf("profile %q, runs %q", a.Profile, a.Runs) })
}

func TestProgramDecidesProfile(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	res := r.start("", slices.Concat([]string{"env", "A=b", r.path}, r.args)...)
	if res.Profile != "robo" || !res.ByName {
		t.Errorf("launched with %+v, want the profile robo by its name", res)
	}
	r.awaitProfile("robo", "")

	id := r.send("ann", "two\nlines")
	r.reach(id, parley.DeliveryRead)
	if all := tmuxtest.Messages(t, r.log); len(all) != 1 || !strings.Contains(all[0].Text, "two\nlines") {
		t.Errorf("it got %+v, want the lines as the profile types them", all)
	}

	again, err := op.RestartAgent.Call(r.operator(), r, parley.RestartAgentRequest{Agent: "ann"})
	if err != nil || again.Profile != "robo" {
		t.Errorf("restarted with %+v, %v; want the profile robo", again, err)
	}
	r.awaitProfile("robo", "")
	if a := r.inState("ann", parley.StateIdle); tmux.Alive(again.PID) && !r.handedOver(again.PID) {
		t.Errorf("%s got no handover", a.Name)
	}
}

func TestNamedProfileOverridesProgram(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	res := r.start("generic", slices.Concat([]string{r.path}, r.args)...)
	if res.Profile != "generic" || res.ByName {
		t.Errorf("launched with %+v, want the profile generic", res)
	}

	id := r.send("ann", "two\nlines")
	r.reach(id, parley.DeliverySubmitted) // more cannot be known of any program
	r.awaitProfile("generic", "")
}

func TestHiddenProgramIsRecognised(t *testing.T) {
	t.Parallel()
	dialog := filepath.Join(t.TempDir(), "dialog")
	r := newRobo(t, tmuxtest.Agent{Dialog: dialog})
	must.Do(t, os.WriteFile(dialog, nil, 0o600))

	res := r.start("", r.hidden("true")...)
	if res.Profile != "generic" || res.ByName {
		t.Errorf("launched with %+v, want the profile generic", res)
	}

	// As generic this message would answer the dialog.
	id := r.send("ann", "please rebase")
	r.inState("ann", parley.StateWaiting)
	r.held(id, "dialog")
	must.Do(t, os.Remove(dialog))
	r.reach(id, parley.DeliveryRead)
	r.awaitProfile("generic", "robo")
	r.wantNeed(r.need(parley.NeedProfile), "ann", "it runs robo without parley's tools",
		"parley restart ann --profile robo")

	// The next daemon finds it out too.
	r.reopen(func(*Options) {})
	r.awaitProfile("generic", "robo")

	again, err := op.RestartAgent.Call(r.operator(), r, parley.RestartAgentRequest{Agent: "ann", Profile: "robo"})
	if err != nil || again.Profile != "robo" {
		t.Errorf("restarted with %+v, %v; want the profile robo", again, err)
	}
	r.awaitProfile("robo", "")
	if !r.handedOver(again.PID) {
		t.Error("it got no handover")
	}
	r.nothingNeeded()

	// The choice is kept.
	r.reopen(func(*Options) {})
	r.awaitProfile("robo", "")
	for _, m := range tmuxtest.Messages(t, r.log) {
		if m.Dialog {
			t.Errorf("%q answered the dialog", m.Text)
		}
	}
}

// The first look at a quiet program may come while keys are typed, or taken up after a crash.
func TestHiddenProgramIsRecognisedAfterTyping(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	begin := filepath.Join(r.dir, "begin")
	wait := fmt.Sprintf("until [ -e %s ]; do sleep 0.05; done\n", shellWord(begin))
	command := r.hidden("true")
	text := must.Have(os.ReadFile(command[0]))(t)
	must.Do(t, os.WriteFile(command[0], []byte(strings.Replace(string(text), "\n", "\n"+wait, 1)), 0o700))
	r.start("", command...)

	m := r.roster.ByName("ann")
	m.Typing.Lock()
	must.Do(t, os.WriteFile(begin, nil, 0o600))
	time.Sleep(7 * time.Second) // it starts, and is quiet for longer than terminal.appearsWithin
	m.Typing.Unlock()
	r.awaitProfile("generic", "robo")
}

func TestProgramThatAShellHidesIsToBeLaunchedItself(t *testing.T) {
	t.Parallel()
	r := newRobo(t, tmuxtest.Agent{})
	r.start("", "sh", "-c", strings.Join(r.hidden("true"), " ")+"; true")
	r.awaitProfile("generic", "robo")
	n := r.need(parley.NeedProfile)
	r.wantNeed(n, "ann", "it runs robo without parley's tools", "parley stop ann")
	if !strings.Contains(n.Action, "parley launch ann -- robo") {
		t.Errorf("the action is %q", n.Action)
	}

	must.Have(op.StopAgent.Call(r.operator(), r, parley.StopAgentRequest{Agent: "ann"}))(t)
	r.nothingNeeded()
}
