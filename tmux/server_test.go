package tmux_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

func TestCheckVersion(t *testing.T) {
	if _, err := tmux.CheckVersion(t.Context(), "/nowhere/tmux"); !errors.Is(err, tmux.ErrNotInstalled) {
		t.Errorf("missing: %v", err)
	}

	old := filepath.Join(t.TempDir(), "tmux")
	must.Do(t, os.WriteFile(old, []byte("#!/bin/sh\necho tmux 3.1c\n"), 0o700))
	if v, err := tmux.CheckVersion(t.Context(), old); !errors.Is(err, tmux.ErrTooOld) || v.Text != "3.1c" {
		t.Errorf("old: %v, %v", v, err)
	}
	if v, err := tmux.CheckVersion(t.Context(), tmuxtest.Binary()); err != nil || !v.AtLeast(3, 3) {
		t.Errorf("installed: %v, %v", v, err)
	}
}

func TestOpenStartsOrJoinsAndCloseLeavesTheServer(t *testing.T) {
	opts := tmuxtest.Options(t)
	first := tmuxtest.StartWith(t, opts)
	info := tmuxtest.Agent{}.Launch(t, first)
	instance := first.Instance()
	must.Do(t, first.Close())
	if _, err := first.Panes(t.Context()); !errors.Is(err, tmux.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}

	second := must.Have(tmux.Open(t.Context(), opts))(t)
	defer second.Close()

	if second.Instance() != instance || second.SocketPath() != opts.Path {
		t.Errorf("instance %s at %s, want %s", second.Instance(), second.SocketPath(), instance)
	}

	panes, err := second.Panes(t.Context())
	if err != nil || len(panes) != 1 || panes[0].ID != info.ID || panes[0].Owner != info.Owner ||
		panes[0].Attached != 0 {
		t.Errorf("panes %+v, %v", panes, err)
	}
}

// A server is used as long as a program runs on it.
func TestWhetherAServerIsUsed(t *testing.T) {
	s := tmuxtest.Start(t)
	unused := func(want bool) {
		t.Helper()
		tmuxtest.Poll(t, func() bool { return must.Have(s.Unused(t.Context()))(t) == want },
			func() string { return "it does not get unused: " + strconv.FormatBool(want) })
	}
	unused(true)
	pane := must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: tmuxtest.Name("used"), Dir: t.TempDir(), Owner: "agent", Argv: []string{"cat", "-"},
	}))(t)
	unused(false)
	must.Do(t, syscall.Kill(pane.PID, syscall.SIGKILL))
	unused(true)
}

func TestHungServerHangsNobody(t *testing.T) {
	s := tmuxtest.Start(t)
	pid := serverPID(t, s)
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer syscall.Kill(pid, syscall.SIGCONT)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	if _, err := s.Panes(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the deadline", err)
	}

	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(tmuxtest.Patience):
		t.Error("Close hangs")
	}
}

func TestNotifiesOfModesAndWindows(t *testing.T) {
	opts := tmuxtest.Options(t)
	var notes notifications
	opts.Notify = notes.add
	s := tmuxtest.StartWith(t, opts)
	info := tmuxtest.Agent{}.Launch(t, s)
	notes.wait(t, tmux.WindowsMoved, 1)
	tmuxCommand(t, s, "copy-mode", "-t", info.ID)
	notes.wait(t, tmux.ModeChanged, 1)
}

func clients(t *testing.T, s *tmux.Server) int {
	return len(strings.Fields(tmuxCommand(t, s, "list-clients", "-F", "#{client_pid}")))
}

func TestOpenRemovesTextsOfDeadProcesses(t *testing.T) {
	opts := tmuxtest.Options(t)
	dead := filepath.Join(opts.Dir, "parley-texts-dead")
	must.Do(t, os.Mkdir(dead, 0o700))

	for _, name := range []string{"lock", "7"} {
		must.Do(t, os.WriteFile(filepath.Join(dead, name), []byte("secret"), 0o600))
	}

	tmuxtest.StartWith(t, opts)
	if _, err := os.Stat(dead); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("leftovers of a dead process: %v", err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	opts := tmuxtest.Options(t)
	var notes notifications
	opts.Notify = notes.add
	s := tmuxtest.StartWith(t, opts)
	opts.Notify = nil
	other := must.Have(tmux.Open(t.Context(), opts))(t)
	t.Cleanup(func() { other.Close() })
	if dirs, _ := filepath.Glob(filepath.Join(opts.Dir, "*")); len(dirs) != 2 {
		t.Errorf("directories %q, want two", dirs)
	}

	notes.wait(t, tmux.Connected, 2) // the second killed the first's client as a stranger's

	pane, owner, _ := agent(t, s, tmuxtest.Agent{})
	for n := range uint64(6) { // short and long, typed and refused
		text := strings.Repeat("secret ", 1+300*int(n%2))
		must.Have(pane.Submit(t.Context(), tmux.Submission{Owner: owner, Seq: n/2 + 1, Text: text}))(t)
	}

	if files, _ := filepath.Glob(filepath.Join(opts.Dir, "*", "[0-9]*")); len(files) != 0 {
		t.Errorf("files left: %q", files)
	}
	if buffers := tmuxCommand(t, s, "list-buffers"); buffers != "" {
		t.Errorf("buffers left: %s", buffers)
	}
	if log := tmuxCommand(t, s, "show-messages"); strings.Contains(log, "secret") {
		t.Errorf("tmux logged the text: %s", log)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), tmuxtest.Patience)
	defer cancel()

	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(opts.Dir, "*")); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
