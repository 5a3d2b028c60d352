// Package testhome runs the program parley in a home of the test's own.
package testhome

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/wait"
)

// OperatorKey makes the tests the operator of their workspaces: they have no terminal.
var OperatorKey = "parley_" + rand.Text() + rand.Text()

// Patience bounds every wait of such tests.
const Patience = must.Patience

// Home separates one test's daemon, tmux server and agents from all others.
type Home struct {
	Dir       string // with HOME, the runtime directory and others; short, because sockets are in it
	Workspace string
	Env       []string
}

// New returns a home that ends with the test. Without tmux, the test is skipped.
func New(t testing.TB) *Home {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}

	h, err := At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := h.End(); err != nil {
			t.Error(err)
		}
	})

	return h
}

// At returns a home with the given workspace. The caller ends it.
func At(workspace string) (*Home, error) {
	workspace, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return nil, err
	}

	dir, err := os.MkdirTemp("/tmp", "pt")
	if err != nil {
		return nil, err
	}

	h := &Home{Dir: dir, Workspace: workspace}
	subs := map[string]string{"HOME": "h", "XDG_RUNTIME_DIR": "r", "XDG_STATE_HOME": "s", "TMUX_TMPDIR": "t"}
	for name, sub := range subs {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
		h.Env = append(h.Env, name+"="+filepath.Join(dir, sub))
	}

	h.Env = append(h.Env, "PARLEY_DIR="+workspace, "PATH="+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"PARLEY_OPERATOR_KEY="+OperatorKey,
		"GORACE=atexit_sleep_ms=0") // else each program sleeps for a second before it ends, under the race detector
	return h, nil
}

// Command returns a run of the program in the workspace.
func (h *Home) Command(args ...string) *exec.Cmd {
	cmd := exec.Command("parley", args...)
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	return cmd
}

// Run runs the program with --json and decodes its answer. A failure ends the test.
func Run[Res any](t testing.TB, h *Home, args ...string) Res {
	t.Helper()
	var stderr strings.Builder
	cmd := h.Command(append([]string{"--json"}, args...)...)
	cmd.Stderr = &stderr

	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("parley %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}

	var res Res
	if err := json.Unmarshal(out, &res); err != nil {
		t.Fatalf("parley %s printed %s: %v", strings.Join(args, " "), out, err)
	}

	return res
}

// End stops everything, and fails if a process of the test survives.
func (h *Home) End() error {
	out, err := h.Command("down").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("parley down: %w\n%s", err, out)
	}

	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()

	left := h.Processes()
	if err == nil {
		_ = wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
			left = h.Processes()
			return len(left) == 0, nil
		})
	}

	for pid, name := range left {
		err = errors.Join(err, fmt.Errorf("process %d is left: %s", pid, name), syscall.Kill(pid, syscall.SIGKILL))
	}

	return errors.Join(err, os.RemoveAll(h.Dir))
}

// Processes returns the processes with the home's environment and their command lines,
// none on systems without /proc.
func (h *Home) Processes() map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(b), h.Dir) {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		found[pid] = strings.ReplaceAll(string(line), "\x00", " ")
	}
	return found
}

// Running reports whether a process runs. A zombie does not.
func Running(pid int) bool {
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
