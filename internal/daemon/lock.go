package daemon

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
func (l Lock) take() (*os.File, error) {
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
		return nil, running(l.root)
	}

	return nil, fmt.Errorf("lock %s: %w", l.Path, err)
}

func running(root string) error {
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

// Find returns the workspace's daemon, nil if none runs. It waits, StartWithin at most, for one that has the
// lock and is not reached: it is starting or ending, or writes its address again because that was removed.
// The error is DAEMON_UNAVAILABLE for one that does not listen any more.
func Find(ctx context.Context, at Place, now func() time.Time) (info *Info, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, StartWithin,
		parley.Errorf(parley.DaemonUnavailable, "a daemon runs in %s and was not reached within %s", at.Root,
			StartWithin).
			Suggest("Look into %s.", at.Log()))
	defer cancel()

	var deaf deafness
	err = wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		if info = Running(ctx, at); info != nil {
			return true, nil
		}
		if held, err := at.Lock().Held(); !held || err != nil {
			return true, err
		}
		return false, deaf.look(ctx, at, now())
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return info, err
}

// Await waits until no daemon holds the lock, and takes it. No daemon starts until it is closed.
func (l Lock) Await(ctx context.Context) (io.Closer, error) {
	var held *os.File
	err := wait.Until(ctx, 20*time.Millisecond, func() (_ bool, err error) {
		held, err = l.take()
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

// AwaitGone waits until the daemon with that process id has ended. The next one may run by then.
func AwaitGone(ctx context.Context, at Place, pid int) error {
	err := wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		if held, err := at.Lock().Held(); !held || err != nil {
			return true, err
		}
		info, err := ReadInfo(at)
		return err == nil && info.PID != pid, nil // only the holder of the lock writes it
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
