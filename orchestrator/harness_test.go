package orchestrator

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/orchestrator/settings"
	"parley/orchestrator/terminal"
	"parley/program/profile"
	"parley/store"
	"parley/store/storetest"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// TestMain lets the test binary be parley's launcher and the fake agents.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "_exec" {
		fmt.Fprintln(os.Stderr, terminal.Exec(os.Args[2]))
		os.Exit(terminal.ExecFailed)
	}
	if len(os.Args) == 3 && os.Args[1] == crashDaemon {
		os.Exit(runCrashDaemon(os.Args[2]))
	}
	os.Setenv("GOTMPDIR", must.Memory()) // for t.TempDir
	os.Exit(tmuxtest.Main(m))
}

// Times and sizes of the courier that the tests depend on.
const (
	restful     = time.Second     // between two looks at a terminal that is not ready
	batch       = 16              // waiting messages that are read at once
	typingPause = 3 * time.Second // after a person's key
	overruled   = 3 * time.Second // a steady screen against a report
)

// testTeam is a workspace with a running orchestrator.
type testTeam struct {
	*Orchestrator
	rooms // of the orchestrator
	t     testing.TB
	dir   string
	opts  Options

	ownStore bool // opts.Store is one of open's, which open replaces
}

// framedProfile describes the fake agent of tmuxtest.
const framedProfile = `{one_line: false, inline_lines: 3, inline_chars: 800, settle: 20ms, quiet: 50ms,
  show_within: 5s, taken_within: 5s, queue_key: Tab,
  markers: {dialog: '^Allow this\? \[y/n\]', busy: '^working', blocked: {usage limit: '^limit reached'},
    idle: '^composer>', composer: '^composer> ?(?P<text>[^\n]*)', paste: '\[Pasted text[^\]]*\]'}}`

// testProfiles adds `instant`, which looks at nothing, and `framed`, the fake
// agent whose composer is known.
var testProfiles = sync.OnceValues(func() (profile.Set, error) {
	set, err := profile.Builtin()
	for name, text := range map[string]string{
		"instant": "{settle: 0s, startup: 0s, quiet: 0s, show_within: 0s, taken_within: 0s}",
		"quick":   "{settle: 20ms, startup: 0s, quiet: 50ms, show_within: 500ms, taken_within: 2s}",
		"framed":  framedProfile,
	} {
		if err == nil {
			set, err = set.With(name, []byte(text))
		}
	}

	return set, err
})

// newTeam starts an orchestrator on a private tmux server and a new database;
// change may alter its options first.
func newTeam(t testing.TB, change ...func(*Options)) *testTeam {
	t.Helper()
	dir := t.TempDir()
	executable := must.Have(os.Executable())(t)

	te := &testTeam{
		t:   t,
		dir: dir,
		opts: Options{Profiles: must.Have(testProfiles())(t), Workspace: dir, LaunchDir: filepath.Join(dir, "launch"),
			Executable: executable, Host: "test", Settings: settings.Settings{StopGrace: time.Second,
				Watch: 50 * time.Millisecond},
			Log: slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))},
	}

	// The server is made first, so that its end comes after the daemon's.
	te.opts.Tmux = tmuxtest.Options(t)
	for _, c := range change {
		c(&te.opts)
	}

	t.Cleanup(te.shutDown)
	te.open()

	return te
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// start launches an agent.
func (te *testTeam) start(req parley.LaunchAgentRequest) {
	te.t.Helper()
	must.Have(op.LaunchAgent.Call(te.operator(), te, req))(te.t)
}

// stop stops an agent.
func (te *testTeam) stop(name string) *parley.StopAgentResult {
	te.t.Helper()
	return must.Have(op.StopAgent.Call(te.operator(), te, parley.StopAgentRequest{Agent: name}))(te.t)
}

// reopen starts the daemon's part again with other options.
func (te *testTeam) reopen(change func(*Options)) {
	te.t.Helper()
	te.close()
	change(&te.opts)
	te.open()
}

// open starts the daemon's part of the team.
func (te *testTeam) open() {
	te.t.Helper()
	if te.opts.Store == nil || te.ownStore {
		path := filepath.Join(te.dir, "parley.db")
		must.Do(te.t, storetest.Prepare(path))
		te.opts.Store = must.Have(store.Open(context.Background(), store.Options{Path: path}))(te.t)
		te.ownStore = true
	}
	te.Orchestrator = must.Have(New(context.Background(), te.opts))(te.t)
	te.rooms = te.Orchestrator.rooms
}

// close stops the daemon's part; agents live on.
func (te *testTeam) close() {
	te.t.Helper()
	if te.Orchestrator == nil {
		return
	}
	if err := te.Orchestrator.Close(); err != nil {
		te.t.Error(err)
	}
	if err := te.opts.Store.Close(); err != nil {
		te.t.Error(err)
	}
	te.Orchestrator = nil
}

// restart stops the daemon's part and starts it again.
func (te *testTeam) restart() {
	te.t.Helper()
	te.close()
	te.open()
}

func (te *testTeam) shutDown() {
	if te.Orchestrator == nil {
		te.open()
	}
	if _, err := op.ShutDown.Call(te.operator(), te, parley.ShutDownRequest{}); err != nil {
		te.t.Error(err)
	}
	te.close()
}

func (te *testTeam) operator() context.Context {
	return parley.WithCaller(context.Background(), te.roster.Operator())
}

// as registers a mailbox agent and returns a context with it as the caller.
func (te *testTeam) as(name string) context.Context {
	te.t.Helper()
	res := must.Have(op.RegisterAgent.Call(context.Background(), te, parley.RegisterAgentRequest{Username: name}))(te.t)
	c, ok := te.roster.Authenticate(context.Background(), res.APIKey)
	if !ok {
		te.t.Fatalf("the key of %s is nobody's", name)
	}
	return parley.WithCaller(context.Background(), c)
}

// launch starts a fake agent under a profile and returns the path of its log.
func (te *testTeam) launch(name, profile string, a tmuxtest.Agent) (log string) {
	te.t.Helper()
	if a.Log == "" {
		a.Log = filepath.Join(te.dir, name+".log")
	}
	te.start(parley.LaunchAgentRequest{Name: name, Profile: profile, Command: a.Argv()})
	te.begun(name)
	return a.Log
}

// begun waits until a fake agent reads its terminal: what is typed before is lost.
func (te *testTeam) begun(name string) {
	te.t.Helper()
	tmuxtest.WaitFor(te.t, te.pane(name), func(s tmux.Screen) bool {
		return tmuxtest.Shows(s, strings.TrimSpace(tmuxtest.Prompt)) || tmuxtest.Shows(s, tmuxtest.DialogText)
	})
}

// sends sends as a caller.
func (te *testTeam) sends(as context.Context, req parley.SendMessageRequest) *parley.SendMessageResult {
	te.t.Helper()
	return must.Have(op.SendMessage.Call(as, te, req))(te.t)
}

// control changes a conversation as the operator.
func (te *testTeam) control(req parley.ControlConversationRequest) {
	te.t.Helper()
	must.Have(op.ControlConversation.Call(te.operator(), te, req))(te.t)
}

// send sends as the operator and returns the message's id.
func (te *testTeam) send(to, text string) string {
	te.t.Helper()
	return te.sends(te.operator(), parley.SendMessageRequest{To: parley.Names{to}, Text: text}).MessageID
}

// delivery returns the only delivery of a message.
func (te *testTeam) delivery(id string) parley.Delivery {
	te.t.Helper()
	res := must.Have(op.GetMessageStatus.Call(te.operator(), te, parley.MessageStatusRequest{MessageID: id}))(te.t)
	return res.Deliveries[0]
}

// reach waits until a message has reached a state.
func (te *testTeam) reach(id string, state parley.DeliveryState) parley.Delivery {
	te.t.Helper()
	var d parley.Delivery
	tmuxtest.Poll(te.t, func() bool { d = te.delivery(id); return d.State == state },
		func() string {
			return fmt.Sprintf("delivery is %s (%s), want %s; steps %+v", d.State, d.Reason, state, d.Steps)
		})
	return d
}

// arrived waits until a message is delivered, whether or not that proves that it was read.
func (te *testTeam) arrived(id string) parley.Delivery {
	te.t.Helper()
	var d parley.Delivery
	tmuxtest.Poll(te.t, func() bool { d = te.delivery(id); return d.State.Delivered() },
		func() string { return fmt.Sprintf("delivery is %s (%s); steps %+v", d.State, d.Reason, d.Steps) })
	return d
}

// held waits until a message is held for a reason that contains part.
func (te *testTeam) held(id, part string) {
	te.t.Helper()
	var d parley.Delivery
	tmuxtest.Poll(te.t, func() bool {
		d = te.delivery(id)
		return d.State == parley.DeliveryHeld && strings.Contains(d.Reason, part)
	}, func() string { return fmt.Sprintf("delivery is %s (%s), want held: %s", d.State, d.Reason, part) })
}

// wantMessages expects n messages in the log of an agent.
func (te *testTeam) wantMessages(log string, n int) {
	te.t.Helper()
	if got := tmuxtest.WaitMessages(te.t, log, n); len(got) != n {
		te.t.Errorf("the agent got %+v, want %d messages", got, n)
	}
}

// inState waits until an agent is in a state.
func (te *testTeam) inState(name string, state parley.AgentState) parley.AgentStatus {
	te.t.Helper()
	var a parley.AgentStatus
	tmuxtest.Poll(te.t, func() bool {
		res := must.Have(op.GetAgentStatus.Call(te.operator(), te, parley.AgentStatusRequest{Agent: name}))(te.t)
		a = res.Agents[0]
		return a.State == state
	}, func() string { return fmt.Sprintf("%s is %s (%s), want %s", name, a.State, a.Evidence, state) })
	return a
}

// pane returns the pane of an agent.
func (te *testTeam) pane(name string) *tmux.Pane {
	te.t.Helper()
	t := te.roster.ByName(name).Terminal()
	if t == nil {
		te.t.Fatalf("%s has no terminal", name)
	}
	return t.Pane
}

// tmuxRun runs a tmux command as a person would, with a process of its own.
func (te *testTeam) tmuxRun(args ...string) {
	te.t.Helper()
	if err := tmuxCommand(te, args...).Run(); err != nil {
		te.t.Fatalf("tmux %v: %v", args, err)
	}
}

func tmuxCommandOn(s *tmux.Server, args ...string) *exec.Cmd {
	return exec.Command(tmuxtest.Binary(), append([]string{"-S", s.SocketPath()}, args...)...)
}

func tmuxCommand(te *testTeam, args ...string) *exec.Cmd {
	return tmuxCommandOn(te.terminals.Server(), args...)
}

// submit types a text with sequence 1 as a courier would. With stop it ends after the
// paste.
func submit(te *testTeam, s *tmux.Server, pane, text string, stop bool) {
	te.t.Helper()
	sub := tmux.Submission{Owner: te.owner(s, pane), Seq: 1, Text: text}
	if stop {
		sub.Next = func(m tmux.Moment) tmux.Step {
			if m.Phase == tmux.Unknown {
				return tmux.Step{Do: tmux.Paste}
			}
			return tmux.Step{Do: tmux.Stop, Reason: tmux.Blocked}
		}
	}
	out, err := s.Pane(pane).Submit(context.Background(), sub)
	if err != nil || stop && out.Phase != tmux.Pasted || !stop && out.Phase != tmux.Entered {
		te.t.Fatalf("submit: %+v, %v", out, err)
	}
}

func (te *testTeam) owner(s *tmux.Server, pane string) string {
	te.t.Helper()
	info := must.Have(s.Pane(pane).Info(context.Background()))(te.t)
	return info.Owner
}
