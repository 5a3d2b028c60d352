package tmux_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/wait"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// What cleans /tmp removes the socket. The server makes it again while a daemon is connected, and for the next one.
func TestARemovedSocketIsMadeAgain(t *testing.T) {
	opts := tmuxtest.Options(t)
	first := must.Have(tmux.Open(t.Context(), opts))(t)
	info := tmuxtest.Agent{}.Launch(t, first)
	instance := first.Instance()

	must.Do(t, os.Remove(opts.Path))
	must.Do(t, wait.Until(t.Context(), 20*time.Millisecond, func() (bool, error) {
		_, err := os.Lstat(opts.Path)
		return err == nil, nil
	}))
	if !tmux.Runs(opts.Path) {
		t.Error("nobody listens on it")
	}

	must.Do(t, first.Close())
	must.Do(t, os.Remove(opts.Path))
	if !tmux.Runs(opts.Path) {
		t.Error("a server without its socket counts as ended")
	}

	must.Do(t, os.Mkdir(opts.Path, 0o700)) // nothing can be made there
	if _, err := tmux.Open(t.Context(), opts); !errors.Is(err, tmux.ErrNoSocket) {
		t.Errorf("got %v, want %v", err, tmux.ErrNoSocket)
	}
	must.Do(t, os.Remove(opts.Path))
	second := must.Have(tmux.Open(t.Context(), opts))(t)
	t.Cleanup(func() { _ = second.Shutdown(t.Context()) })
	if pane, err := second.Pane(info.ID).Info(t.Context()); err != nil || pane.Dead || second.Instance() != instance {
		t.Errorf("got %v, %v on %s, want the agent on %s", pane, err, second.Instance(), instance)
	}
}
