package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
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

// spooling configures a spool.
func spooling(o *Options) { o.Spool = filepath.Join(o.Workspace, "spool") }

// keyOf issues a key for an agent.
func (te *testTeam) keyOf(name string) string {
	te.t.Helper()
	m, key := te.roster.ByName(name), "the key of "+name
	stored := &store.APIKey{Hash: team.HashKey(key), Key: parley.Key{KeyID: key, Origin: parley.KeyLaunched}}
	must.Have(te.roster.SwapKeys(context.Background(), m, stored, (*team.Key).IsAny))(te.t)
	return key
}

func (te *testTeam) spool(key string, req parley.ReportStateRequest) {
	te.t.Helper()
	must.Do(te.t, terminal.Spool(context.Background(), te.opts.Spool, key, req))
}

// spoolIsGone waits until the daemon has read the spool.
func (te *testTeam) spoolIsGone() {
	te.t.Helper()
	tmuxtest.Poll(te.t, func() bool { _, err := os.Lstat(te.opts.Spool); return errors.Is(err, fs.ErrNotExist) },
		func() string { return "the spool is still there" })
}

func TestNextDaemonReadsSpooledReports(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	given := te.unconfirmed("deaf")
	begun := te.send("deaf", "and this?")
	te.held(begun, "is not reading")

	jobs, err := te.opts.Store.Deliveries.Pending(te.operator(), te.roster.ByName("deaf").ID, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatal(jobs, err)
	}

	key := te.keyOf("deaf")
	// As left by a daemon that was killed while typing.
	must.Do(t, te.opts.Store.Deliveries.Claim(te.operator(), jobs[0].Key, 99, false))

	te.close()
	at := time.Now().Add(-time.Second).Round(0).UTC() // as the spool has it: without the clock that nobody sets
	for _, id := range []string{given, begun} {
		te.spool(key, parley.ReportStateRequest{Event: "Prompt", MessageIDs: []string{parley.Short(id)}, At: &at})
		te.spool(key, parley.ReportStateRequest{Event: "Done", At: &at})
	}

	info, err := os.Stat(te.opts.Spool)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the spool has mode %v (%v), want 0600", info.Mode(), err)
	}

	text, err := os.ReadFile(te.opts.Spool)
	if err != nil || strings.Contains(string(text), key) {
		t.Errorf("the spool has the key in it (%v): %s", err, text)
	}

	te.open()
	for _, id := range []string{given, begun} {
		if d := te.delivery(id); d.State != parley.DeliveryRead || !d.TurnStarted().Equal(at) {
			t.Errorf("delivery is %s, begun %v, want read and %v; steps %+v", d.State, d.TurnStarted(), at, d.Steps)
		}
	}

	if r, ok := te.roster.ByName("deaf").LastReport(); !ok || r.State != parley.StateIdle || !r.At.Equal(at) {
		t.Errorf("it reported %+v (%v), want idle at %v", r, ok, at)
	}

	te.spoolIsGone()
}

func TestSpoolOfARunningDaemonIsTaken(t *testing.T) {
	t.Parallel()
	te := newTeam(t, talking(t), spooling)
	te.launch("coder", "talker", tmuxtest.Agent{})
	te.spool(te.keyOf("coder"), parley.ReportStateRequest{Event: "Ask"})
	te.spoolIsGone()
	if r, _ := te.roster.ByName("coder").LastReport(); r.State != parley.StateWaiting {
		t.Errorf("it reported %+v, want waiting", r)
	}
}

// hasSize waits until an agent's terminal has a size.
func (te *testTeam) hasSize(name string, width, height int) {
	te.t.Helper()
	var info tmux.PaneInfo
	tmuxtest.Poll(te.t, func() bool {
		info, _ = te.pane(name).Info(te.t.Context())
		return info.Width == width && info.Height == height
	}, func() string { return fmt.Sprintf("%+v, want %dx%d", info, width, height) })
}

func TestSizeIsRestoredWhenAPersonLeaves(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.hasSize("coder", 200, 50)
	person := tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 120, 41)
	te.hasSize("coder", 120, 40)
	te.reach(te.send("coder", "while somebody looks"), parley.DeliveryRead)
	te.hasSize("coder", 120, 40)
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	te.hasSize("coder", 200, 50)
	te.reach(te.send("coder", "when they have gone"), parley.DeliveryRead)

	// An agent that ends while a person is attached starts again with its own size.
	tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 90, 31)
	te.hasSize("coder", 90, 30)
	must.Have(op.RestartAgent.Call(te.operator(), te, parley.RestartAgentRequest{Agent: "coder"}))(t)

	te.hasSize("coder", 200, 50)
}

// A program that is made to draw its screen again at another size heals what tmux garbled.
func TestUnreadableScreenIsDrawnAgain(t *testing.T) {
	t.Parallel()
	te := newTeam(t, func(o *Options) { o.Settings.RedrawAfter = 50 * time.Millisecond })
	above := filepath.Join(t.TempDir(), "above")
	te.launch("coder", "framed", tmuxtest.Agent{Above: above})
	te.inState("coder", parley.StateIdle)
	must.Do(t, os.WriteFile(above, []byte(tmuxtest.HideComposer), 0o600))

	te.hasSize("coder", 200, 49)
	te.hasSize("coder", 200, 50)
}

func TestAgentIsWatchedThoughItsSizeCannotBeRestored(t *testing.T) {
	t.Parallel()
	var said logged
	te := newTeam(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&said, nil)) })
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.inState("coder", parley.StateIdle)
	te.tmuxRun("set-option", "-s", "command-alias[99]", "resize-window=no-such-command")
	person := tmuxtest.Attach(t, te.terminals.Server(), te.pane("coder").ID(), 120, 41)
	person.Press(tmux.ReturnKey)
	person.WaitLeft()
	tmuxtest.Poll(t, func() bool { return strings.Contains(said.String(), "size of its launch") }, said.String)
	te.hasSize("coder", 120, 40)
	te.tmuxRun("send-keys", "-t", te.pane("coder").ID(), "-l", "a draft")
	te.inState("coder", parley.StateDrafting)
	te.tmuxRun("set-option", "-s", "-u", "command-alias[99]")
	te.hasSize("coder", 200, 50)
}

// logged is a log that a test can read while it is being written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
