package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/testhome"
	"parley/program/sandbox"
)

// The test binary is also the program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"parley": main})
}

func TestStories(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	testscript.Run(t, stories(t))
}

// stories returns the parameters of the scripts. Each script has its own home.
func stories(t *testing.T) testscript.Params {
	t.Helper()
	return testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			h, err := testhome.At(env.Cd)
			if err != nil {
				return err
			}

			program, err := exec.LookPath("parley")
			if err != nil {
				return err
			}

			example, err := filepath.Abs("../../docs/parley.example.yaml")
			if err != nil {
				return err
			}

			env.Setenv("PARLEY", program)
			env.Setenv("EXAMPLE", example)
			for _, entry := range h.Env {
				name, value, _ := strings.Cut(entry, "=")
				env.Setenv(name, value)
			}
			env.Setenv("STATE", placeOf(h).Home)

			env.Defer(func() {
				if err := h.End(); err != nil {
					env.T().Log(err)
					env.T().FailNow()
				}
			})

			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"until":   until,
			"daemon9": killDaemon,
			"gone":    gone,
			"listen":  listen,
		},
		Condition: func(name string) (bool, error) {
			if name != "sandbox" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return sandbox.Usable(context.Background()) == nil, nil
		},
		RequireExplicitExec: true,
	}
}

// placeOf tells where a workspace keeps its files.
func placeOf(h *testhome.Home) place.Place {
	return place.Locate(place.RealPath(h.Workspace), daemon.Environ(h.Env))
}

// operatorKey makes the tests the operator of their workspaces: they have no terminal.
var operatorKey = testhome.OperatorKey

// until runs a program again and again until its output matches, ever more slowly: a run of parley takes some 40 ms
// of a core.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEX PROGRAM ARGUMENT…")
	}

	re := regexp.MustCompile("(?m)" + args[0])
	var out string
	pause := 50 * time.Millisecond
	for deadline := time.Now().Add(testhome.Patience); time.Now().Before(deadline); time.Sleep(pause) {
		pause = min(pause*3/2, 400*time.Millisecond)
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		for _, name := range []string{"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMUX_TMPDIR", "PATH", "PARLEY_DIR",
			daemon.OperatorKey} {
			if value := ts.Getenv(name); value != "" {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}

		b, _ := cmd.CombinedOutput()
		if out = string(b); re.MatchString(out) {
			return
		}
	}

	log, _ := os.ReadFile(filepath.Join(ts.Getenv("STATE"), "daemon.log")) // a story may have no daemon
	ts.Fatalf("%s never showed %q; it showed last:\n%s\nthe daemon's log:\n%s", strings.Join(args[1:], " "),
		args[0], out, log)
}

// daemonOf returns the daemon of a script's workspace.
func daemonOf(ts *testscript.TestScript) daemon.Info {
	var info daemon.Info
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(ts.Getenv("STATE"), "daemon.json"))), &info))
	return info
}

// killDaemon kills the daemon of the workspace, like a crash.
func killDaemon(ts *testscript.TestScript, neg bool, args []string) {
	pid := daemonOf(ts).PID
	ts.Check(syscall.Kill(pid, syscall.SIGKILL))
	waitGone(ts, pid)
}

// gone waits until the process whose id a file holds has ended.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	if alive := testhome.Running(pid); neg != alive {
		if neg {
			ts.Fatalf("process %d has ended", pid)
		}
		waitGone(ts, pid)
	}
}

func waitGone(ts *testscript.TestScript, pid int) {
	for deadline := time.Now().Add(testhome.Patience); testhome.Running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("process %d does not end", pid)
		}
	}
}

// listen occupies a port until the script ends and sets a variable to it: a free one, or the one that a file names.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	port := "0"
	if len(args) > 1 {
		port = strings.TrimSpace(ts.ReadFile(args[1]))
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}
