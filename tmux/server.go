package tmux

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley/internal/wait"
)

// Server is one tmux server. It is safe for concurrent use. On parley's own server the
// commands of different goroutines are pipelined over one connection and do not wait for
// each other.
type Server struct {
	opts      Options
	texts     *textDir
	transport transport
}

// Open connects to the server that opts names. Without Join it starts the server
// if none runs, sets its options, and kills control clients that a dead daemon left
// there. It retries until ctx ends, except after ErrNotInstalled, ErrTooOld,
// ErrInvalid, ErrNoSocket and, with Join, ErrNoServer. The caller closes the Server.
func Open(ctx context.Context, opts Options) (*Server, error) {
	if opts.Binary == "" {
		opts.Binary = "tmux"
	}
	if opts.Path == "" {
		return nil, invalid("want a socket path")
	}
	if _, err := CheckVersion(ctx, opts.Binary); err != nil {
		return nil, err
	}

	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	opts.Env = withoutTmux(opts.Env)

	texts, err := newTextDir(opts.Dir)
	if err != nil {
		return nil, err
	}

	var t transport
	if opts.Join {
		t, err = openJoined(ctx, opts)
	} else {
		t, err = openControl(ctx, opts)
	}
	if err != nil {
		return nil, errors.Join(err, texts.close())
	}

	return &Server{opts: opts, texts: texts, transport: t}, nil
}

func withoutTmux(env []string) []string {
	var kept []string
	for _, kv := range env {
		if !strings.HasPrefix(kv, "TMUX=") && !strings.HasPrefix(kv, "TMUX_PANE=") {
			kept = append(kept, kv)
		}
	}
	return kept
}

// run runs commands as one line and returns the lines that they print.
func (s *Server) run(ctx context.Context, commands ...string) ([]string, error) {
	r, err := s.transport.do(ctx, endWithToken(commands))
	return r.lines, err
}

// Instance identifies the running server as "pid/start_time". It is empty while
// there is no connection; with Join it names the server that the last command
// reached. It changes when the server restarts, which voids every pane id.
func (s *Server) Instance() string { return s.transport.known().instance }

// PID returns the process id of the server last reached, 0 if none was.
func (s *Server) PID() int { return s.transport.known().pid }

// SocketPath returns the path of the socket of the server last reached.
func (s *Server) SocketPath() string { return s.transport.known().path }

// Version returns the version of the running server, which may be older than the
// binary.
func (s *Server) Version() Version { return s.transport.known().version }

// Ping returns nil when the server answers. While the connection is being made
// again, it waits until ctx ends.
func (s *Server) Ping(ctx context.Context) error {
	_, err := s.run(ctx, "display-message -p ok")
	return err
}

// Close ends the control client and waits for it, at most a second; the server and
// its sessions live on. Calls in flight fail with ErrClosed.
func (s *Server) Close() error {
	s.transport.close()
	return s.texts.close()
}

// Shutdown kills the server with every session, waits until it is gone, and closes
// the Server. A server that does not end within a few seconds of being asked is
// killed. If ctx ends first the server may stay; the Server is closed in any case.
// A joined server belongs to somebody else: Shutdown only closes the Server.
func (s *Server) Shutdown(ctx context.Context) error {
	ours, ok := s.transport.(*control)
	if !ok {
		return s.Close()
	}

	f := ours.known()
	ours.askToEnd(ctx)
	err := errors.Join(s.Close(), endServer(ctx, s.opts.Binary, f))
	if err != nil {
		return fmt.Errorf("shut tmux down: %w", err)
	}

	return nil
}

// Unused reports whether no program runs on the server but the hub's, and nobody is attached to a session of it.
func (s *Server) Unused(ctx context.Context) (bool, error) {
	panes, err := s.Panes(ctx)
	used := slices.ContainsFunc(panes, func(p PaneInfo) bool { return !p.Dead || p.Attached > 0 })
	return err == nil && !used, err
}

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
