package demoagent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/demoagent"
	"parley/internal/must"
	"parley/program/profile"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// TestMain is also the agent, which is on a team if the test wants its calls.
func TestMain(m *testing.M) {
	if os.Getenv("DEMOAGENT_TEST") == "" {
		os.Exit(m.Run())
	}
	p := demoagent.Program{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	if os.Getenv("CALLS_LOG") != "" {
		p.Team = fakeTeam{}
	}
	os.Exit(demoagent.Main(context.Background(), p))
}

// sizes are the terminal sizes in which screens are tested.
var sizes = [][2]int{{200, 50}, {80, 24}, {40, 10}}

const mark = "msg 5f0c21aa"

// agent is a demo agent that runs in a pane.
type agent struct {
	t       *testing.T
	server  *tmux.Server
	pane    *tmux.Pane
	info    tmux.PaneInfo
	profile *profile.Profile
	log     string
}

func start(t *testing.T, size [2]int, env map[string]string, args ...string) *agent {
	t.Helper()
	return startOn(t, tmuxtest.Start(t), size, env, args...)
}

func startOn(t *testing.T, server *tmux.Server, size [2]int, env map[string]string, args ...string) *agent {
	t.Helper()
	self := must.Have(os.Executable())(t)

	set := must.Have(profile.Builtin())(t)

	demo := must.Have(set.Find("demo"))(t)

	a := &agent{t: t, server: server, profile: demo, log: filepath.Join(t.TempDir(), "log")}
	with := map[string]string{"DEMOAGENT_TEST": "1"}
	maps.Copy(with, env)

	a.info = must.Have(server.NewSession(t.Context(), tmux.SessionOptions{Name: tmuxtest.Name("demo"), Owner: "test",
		Width: size[0], Height: size[1], Env: with, Argv: append([]string{self, "--log", a.log}, args...)}))(t)

	a.pane = server.Pane(a.info.ID)

	return a
}

func (a *agent) wait(ok func(tmux.Screen) bool) tmux.Screen {
	a.t.Helper()
	return tmuxtest.WaitFor(a.t, a.pane, ok)
}

func (a *agent) waitState(want profile.State) tmux.Screen {
	a.t.Helper()
	return a.wait(func(s tmux.Screen) bool { return a.profile.Look(s.Lines) == want })
}

func (a *agent) waitText(text string) tmux.Screen {
	a.t.Helper()
	return a.wait(func(s tmux.Screen) bool { return profile.Holds(s.Text(), text) })
}

func (a *agent) composed(s tmux.Screen) (string, bool) {
	return a.profile.Composer(profile.Screen{Lines: s.Lines, Width: s.Width, CursorX: s.CursorX, CursorY: s.CursorY})
}

func (a *agent) waitComposer(want string) tmux.Screen {
	a.t.Helper()
	return a.wait(func(s tmux.Screen) bool {
		text, ok := a.composed(s)
		return ok && text == want
	})
}

func (a *agent) paste(text string) {
	a.t.Helper()
	file := filepath.Join(a.t.TempDir(), "text")
	must.Do(a.t, os.WriteFile(file, []byte(text), 0o600))
	a.tmux("load-buffer", "-b", "test", file, ";", "paste-buffer", "-p", "-r", "-d", "-b", "test", "-t", a.pane.ID())
}

func (a *agent) keys(names ...string) {
	a.t.Helper()
	a.tmux(append([]string{"send-keys", "-t", a.pane.ID()}, names...)...)
}

func (a *agent) tmux(args ...string) {
	a.t.Helper()
	out, err := exec.Command(tmuxtest.Binary(), append([]string{"-S", a.server.SocketPath()}, args...)...).
		CombinedOutput()
	if err != nil {
		a.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
}

type entry struct {
	Text, Dialog string
	Hangup       bool
}

func (a *agent) logged() []entry {
	f, err := os.Open(a.log)
	if err != nil {
		return nil
	}
	defer f.Close()

	var all []entry
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			a.t.Errorf("log line %q: %v", lines.Text(), err)
		}
		all = append(all, e)
	}

	return all
}

func (a *agent) waitLog(want ...entry) {
	a.t.Helper()
	tmuxtest.Poll(a.t, func() bool { return len(a.logged()) >= len(want) },
		func() string { return fmt.Sprintf("log: %+v", a.logged()) })
	if diff := cmp.Diff(want, a.logged()); diff != "" {
		a.t.Errorf("log (-want +got):\n%s", diff)
	}
}

func message(text string) string {
	return "[AGENT 1a2b3c4d TO AGENT 5e6f7a8b]: " + text + "\n(planner · " + mark + ")"
}

// hasComposer reports a composer that is not empty.
func hasComposer(a *agent) func(tmux.Screen) bool {
	return func(s tmux.Screen) bool {
		text, ok := a.composed(s)
		return ok && text != ""
	}
}
