package orchestrator

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley"
)

func TestHealthNamesThePartThatDoesNotAnswer(t *testing.T) {
	te := newTeam(t)
	if err := te.Health(t.Context()); err != nil {
		t.Fatalf("a daemon that is well: %v", err)
	}

	out, err := exec.Command(te.opts.Tmux.Binary, "-S", te.terminals.Server().SocketPath(), "display-message", "-p", "#{pid}").
		Output()
	if err != nil {
		t.Fatal(err)
	}

	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()

	err = te.Health(ctx)
	if e := syscall.Kill(pid, syscall.SIGCONT); e != nil {
		t.Fatal(e)
	}
	if parley.ErrorCode(err) != parley.TmuxUnavailable {
		t.Errorf("with a tmux that hangs: got %v, want TMUX_UNAVAILABLE", err)
	}
	if err := te.Health(t.Context()); err != nil {
		t.Errorf("when tmux goes on: %v", err)
	}

	te.close()
	te.open()
	if err := te.opts.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := te.Health(t.Context()); parley.ErrorCode(err) != parley.StorageUnavailable {
		t.Errorf("with a database that is closed: got %v, want STORAGE_UNAVAILABLE", err)
	}
	if err := te.Orchestrator.Close(); err != nil {
		t.Fatal(err)
	}

	te.open()
}
