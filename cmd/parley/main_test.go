package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/daemon"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is also the program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"parley": main})
}

// patience bounds every wait of the tests. It only matters when they fail.
const patience = 60 * time.Second

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
			h, err := newHome(env.Cd)
			if err != nil {
				return err
			}

			program, err := exec.LookPath("parley")
			if err != nil {
				return err
			}

			example, err := filepath.Abs("../../parley.example.yaml")
			if err != nil {
				return err
			}

			env.Setenv("PARLEY", program)
			env.Setenv("EXAMPLE", example)
			for _, entry := range h.env {
				name, value, _ := strings.Cut(entry, "=")
				env.Setenv(name, value)
			}

			env.Defer(func() {
				if err := h.end(); err != nil {
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
		RequireExplicitExec: true,
	}
}

// operatorKey makes the tests the operator of their workspaces: they have no terminal.
var operatorKey = "parley_" + rand.Text() + rand.Text()

// home separates one test's daemon, tmux server and agents from all others: it has its
// own directories, with short paths because they hold sockets.
type home struct {
	dir, workspace string
	env            []string
}

func newHome(workspace string) (*home, error) {
	dir, err := os.MkdirTemp("/tmp", "pt")
	if err != nil {
		return nil, err
	}

	h := &home{dir: dir, workspace: workspace}
	for name, sub := range map[string]string{"HOME": "h", "XDG_RUNTIME_DIR": "r", "XDG_STATE_HOME": "s", "TMUX_TMPDIR": "t"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
		h.env = append(h.env, name+"="+filepath.Join(dir, sub))
	}

	h.env = append(h.env, "PARLEY_DIR="+workspace, "PATH="+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		daemon.OperatorKey+"="+operatorKey,
		"GORACE=atexit_sleep_ms=0") // else each program sleeps for a second before it ends, under the race detector
	return h, nil
}

// command returns a run of the program in the test's workspace.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("parley", args...)
	cmd.Dir, cmd.Env = h.workspace, h.env
	return cmd
}

// end stops everything, and fails if a process of the test survives.
func (h *home) end() error {
	out, err := h.command("down").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("parley down: %w\n%s", err, out)
	}

	deadline := time.Now().Add(patience)
	left := h.processes()
	for ; len(left) > 0 && err == nil && time.Now().Before(deadline); left = h.processes() {
		time.Sleep(20 * time.Millisecond)
	}

	for pid, name := range left {
		err = errors.Join(err, fmt.Errorf("process %d is left: %s", pid, name), syscall.Kill(pid, syscall.SIGKILL))
	}

	return errors.Join(err, os.RemoveAll(h.dir))
}

// processes returns the processes with the test's environment and their command lines,
// none on systems without /proc.
func (h *home) processes() map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), h.dir) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return found
}

// until runs a program repeatedly until its output matches.
func until(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: until REGEX PROGRAM ARGUMENT…")
	}

	re := regexp.MustCompile("(?m)" + args[0])
	var out string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(30 * time.Millisecond) {
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		for _, name := range []string{"HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMUX_TMPDIR", "PATH", "PARLEY_DIR", daemon.OperatorKey} {
			if value := ts.Getenv(name); value != "" {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}

		b, _ := cmd.CombinedOutput()
		if out = string(b); re.MatchString(out) {
			return
		}
	}

	ts.Fatalf("%s never showed %q; it showed last:\n%s", strings.Join(args[1:], " "), args[0], out)
}

// daemonOf returns the daemon of a script's workspace.
func daemonOf(ts *testscript.TestScript) daemon.Info {
	var info daemon.Info
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(filepath.Join(daemon.StateDir, "daemon.json"))), &info))
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
	if alive := running(pid); neg != alive {
		if neg {
			ts.Fatalf("process %d has ended", pid)
		}
		waitGone(ts, pid)
	}
}

func waitGone(ts *testscript.TestScript, pid int) {
	for deadline := time.Now().Add(patience); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("process %d does not end", pid)
		}
	}
}

// running reports whether a process runs. A zombie does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if runtime.GOOS != "linux" {
		return true
	}
	if err != nil {
		return false
	}

	// The first thread of a killed process may be a zombie while others still hold its
	// sockets open. Field 3 is the state, field 20 the number of threads.
	_, after, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(after)

	return fields[0] != "Z" || fields[17] != "1" && fields[17] != "0"
}

// listen occupies a port until the script ends and sets a variable to it.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}
