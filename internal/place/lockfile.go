package place

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"parley"
	"parley/internal/wait"
)

// Lock is the lock of a workspace's daemon, which the system releases when the process ends. Only the holder may open
// the database or listen on the socket.
type Lock struct {
	Path string
	root string // of the workspace
}

// take takes the lock. The error is DAEMON_RUNNING if another process holds it.
func (l Lock) Take() (*os.File, error) {
	f, err := os.OpenFile(l.Path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, parley.Errorf(parley.StorageUnavailable, "the lock %s cannot be opened: %w", l.Path,
			PathCause(err)).
			Suggest("Make it writable for you.")
	}

	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}

	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, Running(l.root)
	}

	return nil, fmt.Errorf("lock %s: %w", l.Path, err)
}

func Running(root string) error {
	return parley.Errorf(parley.DaemonRunning, "a daemon is running in %s already", root).
		Suggest("Use it: parley status shows it, and parley down ends it.")
}

// Held reports whether a process holds the lock. If none does, it takes the lock for a moment; a daemon that starts at
// that moment finds it taken.
func (l Lock) Held() (bool, error) {
	f, err := os.Open(l.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()

	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}

	return false, err
}

// Await waits until no daemon holds the lock, and takes it. No daemon starts until it is closed.
func (l Lock) Await(ctx context.Context) (io.Closer, error) {
	var held *os.File
	err := wait.Until(ctx, 20*time.Millisecond, func() (_ bool, err error) {
		held, err = l.Take()
		if parley.ErrorCode(err) == parley.DaemonRunning {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, err
	}
	return held, nil
}
