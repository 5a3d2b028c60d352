package orchestrator

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestStoppedAgentLeavesNoProcess(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	pids := filepath.Join(te.dir, "pids")

	// It ignores SIGHUP and SIGTERM, has a child, and a grandchild of its own session.
	script := fmt.Sprintf(
		`trap '' HUP TERM; echo $$ >>%[1]q; sleep 1000 & echo $! >>%[1]q; setsid sh -c 'trap "" HUP TERM; echo $$ `+
			`>>%[1]q; while :; do sleep 1; done' & wait; while :; do sleep 1; done`,
		pids,
	)

	te.launchScript("stubborn", "", script)

	var all []string
	tmuxtest.Poll(t, func() bool {
		text, _ := os.ReadFile(pids)
		all = strings.Fields(string(text))
		return len(all) == 3
	}, func() string { return fmt.Sprintf("processes %v, want 3", all) })

	res := te.stop("stubborn")
	if res.Ended < 3 {
		t.Errorf("%d processes were ended, want at least 3", res.Ended)
	}

	for _, p := range all {
		if pid, _ := strconv.Atoi(p); tmux.Alive(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}

	if panes, err := te.terminals.Server().Panes(t.Context()); err != nil || len(panes) != 0 {
		t.Errorf("panes %v, %v; want none", panes, err)
	}

	te.inState("stubborn", parley.StateTerminated)
}

func TestMessageToStoppedAgentFails(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	te.stop("coder")

	res := te.sends(te.operator(), parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "hello"})

	if res.Success || res.ErrorCode != parley.AgentUnavailable || len(res.DeliveryStatus.FailedDelivery) != 1 ||
		!strings.HasPrefix(res.Message, "Failed to send message - recipient agent ") {
		t.Errorf("receipt %+v, want a failure", res)
	}
}

func TestWaitingMessageGoesToTheRestartedAgent(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID())
	id := te.send("coder", "keep me")
	te.held(id, "copy mode")
	before := te.roster.ByName("coder").Agent().ID
	te.stop("coder")

	te.held(id, "stopped")
	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"}))(t)

	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
	if after := te.roster.ByName("coder").Agent().ID; after != before {
		t.Errorf("its id became %s, want %s", after, before)
	}
}

func TestRestartMakesANewKey(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	file := filepath.Join(te.dir, "key")
	script := fmt.Sprintf("printenv PARLEY_KEY >%q; exec cat", file)
	te.launchScript("coder", "", script)

	read := func(not string) string {
		var key string
		tmuxtest.Poll(t, func() bool {
			text, _ := os.ReadFile(file)
			key = strings.TrimSpace(string(text))
			return key != "" && key != not
		}, func() string { return "key is " + key })

		return key
	}

	first := read("")
	if c, ok := te.roster.Authenticate(t.Context(), first); !ok || c.Name != "coder" {
		t.Errorf("the key is %+v's, want coder's", c)
	}
	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"}))(t)

	second := read(first)
	if _, ok := te.roster.Authenticate(t.Context(), first); ok {
		t.Error("the old key still opens")
	}
	if _, ok := te.roster.Authenticate(t.Context(), second); !ok {
		t.Error("the new key does not open")
	}
}

func TestKeyIsNotShown(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	pid := te.roster.ByName("coder").Terminal().PID

	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Skip("only Linux shows a process's environment")
	}

	_, after, ok := strings.Cut(string(environ), "PARLEY_KEY=")
	if !ok {
		t.Fatal("the agent has no key")
	}

	key, _, _ := strings.Cut(after, "\x00")
	argv, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	messages, _ := tmuxCommand(te, "show-messages").CombinedOutput()
	environment, _ := tmuxCommand(te, "show-environment", "-t", "coder").CombinedOutput()
	for where, text := range map[string]string{"argv": string(argv), "tmux's messages": string(messages),
		"tmux's environment": string(environment)} {
		if strings.Contains(text, key) {
			t.Errorf("the key stands in %s", where)
		}
	}

	if left, _ := os.ReadDir(te.opts.LaunchDir); len(left) != 0 {
		t.Errorf("launch files are left: %v", left)
	}
}

func TestExitIsSeenWithItsStatus(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launchScript("brief", "", "echo bye; exit 3")

	a := te.inState("brief", parley.StateExited)
	tmuxtest.Poll(t, func() bool { a = te.inState("brief", parley.StateExited); return a.ExitStatus != nil },
		func() string { return fmt.Sprintf("%+v", a) })
	if *a.ExitStatus != 3 {
		t.Errorf("status %d, want 3", *a.ExitStatus)
	}

	screen, err := op.ReadTerminal.Call(te.operator(), te, parley.ReadTerminalRequest{Agent: "brief"})
	if err != nil || !slices.Contains(screen.Lines, "bye") {
		t.Errorf("its last screen is %v, %v", screen, err)
	}

	id := te.send("brief", "are you there?")
	te.held(id, "ended")

	// Its name may be launched again.
	te.launch("brief", "framed", tmuxtest.Agent{})
	te.reach(id, parley.DeliveryRead)
}

func TestLaunchRefusesWhatCannotRun(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	broken := filepath.Join(te.dir, "broken")
	must.Do(t, os.WriteFile(broken, []byte("#!/no/such/interpreter\n"), 0o755))

	for name, tc := range map[string]struct {
		req  parley.LaunchAgentRequest
		want parley.Code
	}{
		"taken":   {parley.LaunchAgentRequest{Name: "Coder", Command: []string{"cat"}}, parley.AgentExists},
		"illegal": {parley.LaunchAgentRequest{Name: "1st", Command: []string{"cat"}}, parley.InvalidArgument},
		"reserved": {parley.LaunchAgentRequest{Name: "operator", Command: []string{"cat"}},
			parley.InvalidArgument},
		"no command": {parley.LaunchAgentRequest{Name: "a"}, parley.InvalidArgument},
		"missing program": {parley.LaunchAgentRequest{Name: "a", Command: []string{"no-such-program"}},
			parley.InvalidArgument},
		"broken program": {parley.LaunchAgentRequest{Name: "a", Command: []string{broken}}, parley.InvalidArgument},
		"missing dir": {parley.LaunchAgentRequest{Name: "a", Command: []string{"cat"}, Dir: "/no/such/dir"},
			parley.InvalidArgument},
		"unknown profile": {parley.LaunchAgentRequest{Name: "a", Profile: "genric", Command: []string{"cat"}},
			parley.InvalidArgument},
	} {
		err := tc.req.Validate()
		if err == nil {
			_, err = op.LaunchAgent.Call(te.operator(), te, tc.req)
		}
		if got := parley.ErrorCode(err); got != tc.want || parley.AsError(err).Action == "" {
			t.Errorf("%s: %v (%s, %q), want %s with advice", name, err, got, parley.AsError(err).Action, tc.want)
		}
	}

	if panes, err := te.terminals.Server().Panes(t.Context()); err != nil || len(panes) != 1 {
		t.Errorf("panes %v, %v; want coder's alone", panes, err)
	}
}

func TestKilledTmuxServerLosesAgentsAndNoMessages(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID())
	id := te.send("coder", "survive")
	te.held(id, "copy mode")
	pid, _, _ := strings.Cut(te.terminals.Server().Instance(), "/")

	server := must.Have(strconv.Atoi(pid))(t)
	must.Do(t, syscall.Kill(server, syscall.SIGKILL))

	te.inState("coder", parley.StateUnreachable)
	te.held(id, "unreachable")
	log := te.launch("coder", "framed", tmuxtest.Agent{})
	te.reach(id, parley.DeliveryRead)
	te.wantMessages(log, 1)
}

func TestAgentsAreFoundAgainAfterARestart(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("coder", "quick", tmuxtest.Agent{})
	te.launch("lost", "quick", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.close()
	te.tmuxKill(t, "lost")
	te.open()
	te.inState("lost", parley.StateUnreachable)
	te.arrived(te.send("coder", "still there?"))
	te.wantMessages(log, 1)
}

// tmuxKill ends a session while the daemon is away.
func (te *testTeam) tmuxKill(t *testing.T, session string) {
	t.Helper()
	args := []string{"-S", te.opts.Tmux.Path}

	s, err := tmux.Open(context.Background(), te.opts.Tmux)
	if err != nil {
		t.Fatal(args, err)
	}
	defer s.Close()

	must.Do(t, s.KillSession(context.Background(), session, te.roster.ByName(session).ID))
}

// interrupt sends a message to coder, and leaves it as a daemon does that is killed while it types:
// claimed with the sequence number 1, and typed as far as typed does. Another daemon starts then.
func (te *testTeam) interrupt(text string, typed func(s *tmux.Server, pane, text string)) (id string) {
	te.t.Helper()
	m := te.roster.ByName("coder")
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("copy-mode", "-t", te.pane("coder").ID()) // holds the message until the daemon is gone
	id = te.send("coder", text)
	te.held(id, "copy mode")

	jobs, err := te.opts.Store.Deliveries.Pending(te.t.Context(), m.ID, 1)
	if err != nil || len(jobs) != 1 {
		te.t.Fatal(jobs, err)
	}

	pane, msg, between := te.pane("coder").ID(), te.roster.Names.FillIn(&jobs[0].Message), "\n"
	if m.Terminal().Profile.OneLine {
		between = " "
	}
	whole := msg.Header(m.ID) + " " + msg.Text + between + msg.Footer(false, m.Agent().Seal)
	te.Orchestrator.Close()

	s := must.Have(tmux.Open(te.t.Context(), te.opts.Tmux))(te.t)
	must.Do(te.t, tmuxCommandOn(s, "copy-mode", "-q", "-t", pane).Run())
	must.Do(te.t, te.opts.Store.Deliveries.Claim(te.t.Context(), jobs[0].Key, 1, false))

	typed(s, pane, whole)
	s.Close()
	te.opts.Store.Close()
	te.open()

	return id
}

func TestInterruptedTypingIsResolvedByThePane(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		agent tmuxtest.Agent
		typed func(te *testTeam, s *tmux.Server, pane string, text string) // leaves on the pane what a crash would
	}{
		{"not pasted", tmuxtest.Agent{}, func(*testTeam, *tmux.Server, string, string) {}},
		{"pasted", tmuxtest.Agent{}, func(te *testTeam, s *tmux.Server, pane, text string) {
			submit(te, s, pane, text, true)
		}},
		{"entered", tmuxtest.Agent{Shows: true}, func(te *testTeam, s *tmux.Server, pane, text string) {
			submit(te, s, pane, text, false)
		}},
		{"entered, which the program lost", tmuxtest.Agent{Deaf: 1},
			func(te *testTeam, s *tmux.Server, pane, text string) {
				submit(te, s, pane, text, false)
			}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			te := newTeam(t, framedWith(t, "taken_within: 1s"))
			log := te.launch("coder", "framed", tc.agent)
			id := te.interrupt("precious", func(s *tmux.Server, pane, text string) { tc.typed(te, s, pane, text) })
			te.reach(id, parley.DeliveryRead)
			te.wantMessages(log, 1)
		})
	}
}

func TestFilesThatACrashLeftAreRemoved(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.close()
	write := func(name string, age time.Duration) string {
		path := filepath.Join(te.opts.LaunchDir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, nil, 0o600))
		must.Do(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))

		return path
	}

	old, fresh := write("launch-1.json", time.Hour), write("launch-2.json", 0)
	nobodys := write("agents/0b5c/mcp.json", 0)
	te.open()
	coders := write("agents/"+te.roster.ByName("coder").ID+"/mcp.json", 0)
	te.terminals.Sweep()
	for path, want := range map[string]bool{old: false, fresh: true, nobodys: false, coders: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}

func TestMessageSentDuringRestartWaitsForNewProgram(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	te := newTeam(t, func(o *Options) {
		launcher := filepath.Join(filepath.Dir(gate), "launcher")
		script := fmt.Sprintf("#!/bin/sh\nwhile [ -e %q ]; do sleep 0.05; done\nexec %q \"$@\"\n", gate, o.Executable)
		must.Do(t, os.WriteFile(launcher, []byte(script), 0o700))
		o.Executable = launcher
	})

	te.launch("coder", "framed", tmuxtest.Agent{})
	must.Do(t, os.WriteFile(gate, nil, 0o600))

	restarted := make(chan error, 1)
	go func() {
		_, err := op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"})
		restarted <- err
	}()

	// The old program is gone, and the gate keeps the new one from starting.
	m := te.roster.ByName("coder")
	tmuxtest.Poll(t, func() bool { return m.Terminal() == nil }, func() string { return "it still has its terminal" })

	res, err := op.SendMessage.Call(te.operator(), te, parley.SendMessageRequest{To: parley.Names{"coder"},
		Text: "hello"})
	if err != nil || !res.Success || len(res.DeliveryStatus.PendingDelivery) != 1 {
		t.Fatalf("receipt %+v, %v; want it pending", res, err)
	}

	must.Do(t, os.Remove(gate))
	must.Do(t, <-restarted)
	te.reach(res.MessageID, parley.DeliveryRead)
}

func TestANiceProgramYieldsAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	nice := func() string {
		pid := strconv.Itoa(te.roster.ByName("coder").Terminal().PID)
		return strings.TrimSpace(string(must.Have(exec.Command("ps", "-o", "nice=", "-p", pid).Output())(t)))
	}
	spec := parley.AgentSpec{Nice: 15}
	command := []string{"sleep", "1000"}
	te.start(parley.LaunchAgentRequest{Name: "coder", Command: command, AgentSpec: spec})
	if got := nice(); got != "15" {
		t.Errorf("it is launched with nice %q, want 15", got)
	}

	a := te.roster.ByName("coder").Agent()
	spec.Nice = 17
	res := must.Have(op.UpdateAgent.Call(te.operator(), te, parley.UpdateAgentRequest{
		LaunchAgentRequest: parley.LaunchAgentRequest{
			Name: "coder", Profile: a.Profile, Command: command, Dir: a.Dir, AgentSpec: spec, Width: 200, Height: 50,
		},
	}))(t)
	want := []parley.Change{{What: "nice", Now: "15", Then: "17", Means: parley.ByRestart}}
	if diff := cmp.Diff(want, res.Changes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := nice(); got != "17" {
		t.Errorf("it is started again with nice %q, want 17", got)
	}
}

// What an agent is and may do changes while it runs: all of it counts at once, and after a restart of the daemon.
func TestASpecChangesInPlace(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "quick", tmuxtest.Agent{})
	want := parley.AgentSpec{
		Description: "writes", Role: "coder", Capabilities: []string{"go"}, Groups: []string{"backend"},
		Orchestrate:   true,
		Interruptible: true, ResumeAfterLimit: true, Door: "never", Fallback: []string{"codex"},
	}
	for _, field := range parley.SpecFields(&want) {
		if field.Means != parley.InPlace {
			continue
		}
		if field.Text() == "" || field.Text() == "no" {
			t.Fatalf("%s changes nothing here", field.Name)
		}
	}

	now := te.roster.ByName("coder").Agent()
	req := parley.UpdateAgentRequest{LaunchAgentRequest: parley.LaunchAgentRequest{
		Name: "coder", Profile: now.Profile, Command: now.Command, Dir: now.Dir, AgentSpec: want, Width: 200,
		Height: 50,
	}}
	res := must.Have(op.UpdateAgent.Call(te.operator(), te, req))(t)
	for _, d := range res.Changes {
		if d.Means != parley.InPlace {
			t.Errorf("%+v", d)
		}
	}
	if got := te.roster.ByName("coder").Agent().AgentSpec; !reflect.DeepEqual(got, want) {
		t.Errorf("at once: got %+v, want %+v", got, want)
	}
	te.restart()
	if got := te.roster.ByName("coder").Agent().AgentSpec; !reflect.DeepEqual(got, want) {
		t.Errorf("after a restart: got %+v, want %+v", got, want)
	}
}
