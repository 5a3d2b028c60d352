package tmux

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"parley/internal/wait"
)

// Runs reports whether a tmux server of this user listens on a socket, also when its file was removed.
func Runs(path string) bool {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return listener(path) != 0
	}
	return conn.Close() == nil
}

// wake lets a server whose socket was removed, as by what cleans /tmp, make it again: a server does that at SIGUSR1.
// It does nothing where the socket is, or no server runs. The error says that a server runs and has no socket: it
// has agents, and no other one may be started in its place.
func wake(ctx context.Context, path string) error {
	if HasSocket(path) {
		return nil
	}
	pid := listener(path)
	if pid == 0 {
		return nil
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		return fmt.Errorf("wake tmux server %d: %w", pid, err)
	}

	ctx, cancel := context.WithTimeout(ctx, endGrace)
	defer cancel()
	for wait.Pause(ctx, 5*time.Millisecond) == nil {
		if HasSocket(path) {
			return nil
		}
	}
	return fmt.Errorf("%w: server %d, %s", ErrNoSocket, pid, path)
}

// HasSocket reports whether there is a socket at a path.
func HasSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// endGrace is how long a server that was told to end may take; a healthy one takes
// 4-7 ms.
const endGrace = 2 * time.Second
