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
	"parley/internal/must"
)

func TestHealthNamesThePartThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	if err := te.Workspace.Health(t.Context()); err != nil {
		t.Fatalf("a daemon that is well: %v", err)
	}

	out, err := exec.Command(te.opts.Tmux.Binary, "-S", te.terminals.Server().SocketPath(), "display-message", "-p",
		"#{pid}").
		Output()
	if err != nil {
		t.Fatal(err)
	}

	pid := must.Have(strconv.Atoi(strings.TrimSpace(string(out))))(t)
	must.Do(t, syscall.Kill(pid, syscall.SIGSTOP))

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()

	err = te.Workspace.Health(ctx)
	must.Do(t, syscall.Kill(pid, syscall.SIGCONT))
	if parley.ErrorCode(err) != parley.TmuxUnavailable {
		t.Errorf("with a tmux that hangs: got %v, want TMUX_UNAVAILABLE", err)
	}
	if err := te.Workspace.Health(t.Context()); err != nil {
		t.Errorf("when tmux goes on: %v", err)
	}

	te.restart()
	must.Do(t, te.opts.Store.Close())
	if err := te.Workspace.Health(t.Context()); parley.ErrorCode(err) != parley.StorageUnavailable {
		t.Errorf("with a database that is closed: got %v, want STORAGE_UNAVAILABLE", err)
	}
	must.Do(t, te.Orchestrator.Close())

	te.open()
}
