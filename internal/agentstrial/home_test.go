package agentstrial

import (
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
)

// patience bounds the waits for parley itself. Only a failing test waits that long.
const patience = 60 * time.Second

// home keeps one test's daemon, tmux server and agents apart from all others.
type home struct {
	dir       string // with HOME, the runtime directory and others; short, because sockets are in it
	workspace string
	env       []string
}

// newHome makes a home, which ends with the test.
func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "pt")
	if err != nil {
		t.Fatal(err)
	}

	h := &home{dir: dir, workspace: t.TempDir()}
	if h.workspace, err = filepath.EvalSymlinks(h.workspace); err != nil {
		t.Fatal(err)
	}

	for name, sub := range map[string]string{
		"HOME": "h", "XDG_RUNTIME_DIR": "r", "XDG_STATE_HOME": "s", "TMUX_TMPDIR": "t",
	} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
		h.env = append(h.env, name+"="+filepath.Join(dir, sub))
	}

	h.env = append(h.env, "PARLEY_DIR="+h.workspace, "PATH="+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8",
		"PARLEY_OPERATOR_KEY=parley_"+rand.Text()+rand.Text()) // tests have no terminal
	t.Cleanup(func() {
		if err := h.end(); err != nil {
			t.Error(err)
		}
	})

	return h
}

// command runs parley as a person would in the test's workspace.
func (h *home) command(args ...string) *exec.Cmd {
	cmd := exec.Command("parley", args...)
	cmd.Dir, cmd.Env = h.workspace, h.env
	return cmd
}

// must runs parley with --json and decodes its answer.
func must[Res any](t testing.TB, h *home, args ...string) Res {
	t.Helper()
	var stderr strings.Builder
	cmd := h.command(append([]string{"--json"}, args...)...)
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

// configure writes a file of the test's own home directory.
func (h *home) configure(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(h.dir, "h", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// variable returns a variable of the test's environment, where the last entry counts.
func (h *home) variable(name string) (value string) {
	for _, entry := range h.env {
		if v, ok := strings.CutPrefix(entry, name+"="); ok {
			value = v
		}
	}
	return value
}

// end stops what runs. It fails if a process of the test is left.
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

// processes returns the command lines of the processes that have the test's
// environment; none where there is no /proc.
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

// running reports whether a process runs. One that has ended and waits for its
// parent does not.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if runtime.GOOS != "linux" {
		return true
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(b), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}
