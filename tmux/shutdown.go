package tmux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"parley/internal/wait"
)

// askToEnd sends kill-server and waits until the connection is lost, which is the
// effect of it.
func (c *control) askToEnd(ctx context.Context) {
	c.mu.Lock()
	conn := c.conn
	c.closed = true // no more commands, and no new server
	c.mu.Unlock()
	if conn == nil {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, endGrace)
	defer cancel()

	_, _ = conn.do(ctx, endWithToken([]string{"kill-server"}))
	select {
	case <-conn.lost:
	case <-ctx.Done():
	}
}

// endServer makes sure that a server which was told to end does. It asks again
// through a fresh client and finally kills the process, since a server that waits
// for a client which nobody reads never ends by itself.
func endServer(ctx context.Context, binary string, f facts) error {
	if waitGone(ctx, f, endGrace/10) == nil {
		return nil
	}

	asking, cancel := context.WithTimeout(ctx, endGrace)
	defer cancel()

	_ = exec.CommandContext(asking, binary, "-N", "-S", f.path, "kill-server").Run()
	if waitGone(ctx, f, endGrace) == nil {
		return nil
	}
	if f.pid > 1 && alive(f.pid) {
		_ = syscall.Kill(f.pid, syscall.SIGKILL)
	}

	return waitGone(ctx, f, endGrace)
}

// waitGone waits until the server's process has ended and nobody listens on its
// socket.
func waitGone(ctx context.Context, f facts, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for delay := 2 * time.Millisecond; ; delay = min(2*delay, 100*time.Millisecond) {
		if !alive(f.pid) && !listening(f.path) {
			return nil
		}
		if err := wait.Pause(ctx, delay); err != nil {
			return fmt.Errorf("tmux server %d still runs: %w", f.pid, err)
		}
	}
}

func listening(path string) bool {
	c, err := net.DialTimeout("unix", path, 100*time.Millisecond)
	if err == nil {
		c.Close()
		return true
	}
	return !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, os.ErrNotExist)
}
