package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// launchScript starts a shell script as an agent.
func (te *testTeam) launchScript(name, profile, script string) {
	te.t.Helper()
	te.start(parley.LaunchAgentRequest{Name: name, Profile: profile, Command: []string{"sh", "-c", script}})
}

// launchDeaf launches a script whose terminal is read byte by byte, as a program would that is about to read it: text
// is typed, although the script may never read it.
func (te *testTeam) launchDeaf(name, profile, script string) {
	te.t.Helper()
	te.launchScript(name, profile, "stty -icanon; "+script)
}

// tmuxPID returns the process id of the team's tmux server.
func (te *testTeam) tmuxPID() int {
	te.t.Helper()
	pid, _, _ := strings.Cut(te.terminals.Server().Instance(), "/")
	return must.Have(strconv.Atoi(pid))(te.t)
}

// leave closes the rest of a team that was shut down.
func (te *testTeam) leave() {
	te.t.Helper()
	if err := errors.Join(te.Orchestrator.Close(), te.opts.Store.Close()); err != nil {
		te.t.Error(err)
	}
	te.Orchestrator = nil
}

func signalProcess(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	must.Do(t, syscall.Kill(pid, sig))
}

func TestTextThatDiedUnreadIsNeverProven(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launchDeaf("deaf", "quick", "sleep 1000")
	id := te.send("deaf", "lost with you")
	te.reach(id, parley.DeliveryUnconfirmed)
	tty := te.roster.ByName("deaf").Terminal().TTY
	signalProcess(t, te.roster.ByName("deaf").Terminal().PID, syscall.SIGKILL)
	te.inState("deaf", parley.StateExited)
	for i := range 5 { // one of them reuses the terminal's number
		name := fmt.Sprintf("next%d", i)
		te.launch(name, "quick", tmuxtest.Agent{})
		if te.roster.ByName(name).Terminal().TTY == tty {
			break
		}
	}

	time.Sleep(3 * restful / 2) // the courier looks again
	if d := te.delivery(id); d.State != parley.DeliveryUnconfirmed {
		t.Errorf("delivery is %s, want unconfirmed: its program died without reading; steps %+v", d.State, d.Steps)
	}
}

func TestStopEndsProcessesThatOutlivedTheirTmuxServer(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("stubborn", "quick", tmuxtest.Agent{IgnoreHUP: true})
	pid := te.roster.ByName("stubborn").Terminal().PID
	signalProcess(t, te.tmuxPID(), syscall.SIGKILL)
	te.inState("stubborn", parley.StateUnreachable)
	if !tmux.Alive(pid) {
		t.Fatal("it was to outlive its terminal")
	}

	res, err := op.StopAgent.Call(te.operator(), te, parley.StopAgentRequest{Agent: "stubborn"})
	if err != nil || res.Ended != 1 {
		t.Errorf("%+v, %v; want one process ended", res, err)
	}

	if tmux.Alive(pid) {
		t.Error("its process still runs")
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestCancelledLaunchLeavesNoProcess(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) {
		o.Executable = filepath.Join(o.Workspace, "never")
		must.Do(t, os.WriteFile(o.Executable,
			[]byte("#!/bin/sh\ntrap '' HUP\necho $$ >\"$0.pid\"\nwhile :; do sleep 1; done\n"), 0o700))
	})

	var pid int
	ctx, cancel := context.WithTimeout(te.operator(), time.Minute)
	go func() {
		defer cancel()
		_ = wait.Until(ctx, 10*time.Millisecond, func() (bool, error) {
			text, _ := os.ReadFile(te.opts.Executable + ".pid")
			pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			return pid != 0, nil
		})
	}()

	if _, err := op.LaunchAgent.Call(ctx, te, parley.LaunchAgentRequest{Name: "coder",
		Command: []string{"cat"}}); err == nil {
		t.Fatal("it was launched")
	}

	if <-ctx.Done(); pid == 0 {
		t.Fatal("it never ran")
	}

	if tmux.Alive(pid) {
		t.Errorf("process %d still runs", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

func TestShutDownEndsAgentsBeingLaunched(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	var launches sync.WaitGroup
	for i := range 8 {
		launches.Go(func() {
			time.Sleep(time.Duration(i) * 5 * time.Millisecond)
			a := tmuxtest.Agent{IgnoreHUP: true}
			_, _ = op.LaunchAgent.Call(te.operator(), te,
				parley.LaunchAgentRequest{Name: fmt.Sprintf("a%d", i), Profile: "quick", Command: a.Argv()})
		})
	}

	time.Sleep(25 * time.Millisecond) // some have begun, and some have not
	_, err := op.ShutDown.Call(te.operator(), te, parley.ShutDownRequest{})
	if err != nil {
		t.Error(err)
	}

	launches.Wait()
	for _, m := range te.roster.All() {
		if left := tmux.Marked("PARLEY_AGENT_ID=" + m.ID); len(left) > 0 {
			t.Errorf("processes %v of %s are left", left, m.Name)
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}

		if state := m.Agent().State; m.Kind == parley.KindTerminal && state != parley.StateTerminated {
			t.Errorf("%s is %s, want terminated", m.Name, state)
		}
	}

	te.leave()
}

func TestHungTmuxServerDoesNotKeepTheTeamFromEnding(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	signalProcess(t, te.tmuxPID(), syscall.SIGSTOP)
	te.send("coder", "are you there?")
	time.Sleep(200 * time.Millisecond) // the courier is at it, if it has tried
	ended := make(chan error, 1)
	server := te.tmuxPID()
	go func() {
		_, err := op.ShutDown.Call(te.operator(), te, parley.ShutDownRequest{})
		ended <- err
	}()

	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(tmuxtest.Patience):
		t.Error("it does not end")
		signalProcess(t, server, syscall.SIGCONT)
		<-ended
	}

	te.leave()
}

func TestCloseDoesNotWaitForAPersonWhoScrolls(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) {
		slow := strings.Replace(framedProfile, "settle: 20ms", "settle: 1s", 1)
		o.Profiles = must.Have(o.Profiles.With("slow", []byte(slow)))(t)
	})

	log := te.launch("coder", "slow", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	id := te.send("coder", "half way")
	pane := te.pane("coder")
	tmuxtest.Poll(t, func() bool { info, err := pane.Info(t.Context()); return err == nil && info.Phase == "pasted" },
		func() string { return "not pasted" })

	te.tmuxRun("copy-mode", "-t", pane.ID())
	time.Sleep(1200 * time.Millisecond) // longer than the profile lets a text settle
	if d := te.delivery(id); d.State != parley.DeliveryTyping {
		t.Fatalf("delivery is %s", d.State)
	}

	began := time.Now()
	te.close()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v to close", took)
	}

	te.open()
	te.tmuxRun("copy-mode", "-q", "-t", pane.ID())
	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
}

func TestProgramWithoutAForegroundLeaderIsLaunched(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	began := time.Now()
	req := parley.LaunchAgentRequest{Name: "jobs", Command: []string{"bash", "-mc", "true | sleep 1000"}}
	if _, err := op.LaunchAgent.Call(te.operator(), te, req); err != nil {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

func TestNarrowTerminalGetsLongWideTexts(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	req := parley.LaunchAgentRequest{Name: "narrow", Profile: "quick", Command: []string{"cat"}, Width: 20, Height: 10}
	must.Have(op.LaunchAgent.Call(te.operator(), te, req))(t)

	for _, text := range []string{"short", strings.Repeat("漢字 ", 300), strings.Repeat("漢", 2000),
		"(operator · msg 00000000)", "[Pasted text #1 +2 lines]"} {
		id := te.send("narrow", text)
		tmuxtest.Poll(t, func() bool { return te.delivery(id).State.Settled() },
			func() string { return fmt.Sprint(te.delivery(id)) })

		if d := te.delivery(id); d.State != parley.DeliveryRead && d.State != parley.DeliverySubmitted {
			t.Errorf("%.20q… is %s (%s)", text, d.State, d.Reason)
		}
	}
}

func TestStopSparesAProcessWithAReusedPID(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	te.launch("bystander", "quick", tmuxtest.Agent{})
	coder, other := te.roster.ByName("coder"), te.roster.ByName("bystander").Terminal()
	signalProcess(t, coder.Terminal().PID, syscall.SIGKILL)
	te.inState("coder", parley.StateExited)
	coder.Terminal().PID = other.PID // process ids are reused after a long time
	te.stop("coder")
	if !tmux.Alive(other.PID) {
		t.Error("a stranger's process was ended")
	}
}

// The client through which parley reaches its tmux server dies again and again. The agent lives.
// The moment that matters is short: without the care for it, two runs of three fail.
func TestAgentIsNotLostWithTheClientOfTmux(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.Watch = time.Millisecond })
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	for range 200 {
		out, _ := tmuxCommand(te, "list-clients", "-F", "#{client_pid}").Output() // none while it is connected again
		for pid := range strings.FieldsSeq(string(out)) {
			_ = syscall.Kill(must.Have(strconv.Atoi(pid))(t), syscall.SIGKILL)
		}
		time.Sleep(10 * time.Millisecond) // some looks of a watch of 1 ms
		if a := te.roster.ByName("coder").Agent(); a.State == parley.StateUnreachable {
			t.Fatalf("it is %s (%s)", a.State, a.Evidence)
		}
	}
}
