package daemon

import (
	"context"
	"time"

	"parley"
	"parley/internal/place"
	"parley/internal/wait"
)

// Find returns the workspace's daemon, nil if none runs. It waits, StartWithin at most, for one that has the
// lock and is not reached: it is starting or ending, or writes its address again because that was removed.
// The error is DAEMON_UNAVAILABLE for one that does not listen any more.
func Find(ctx context.Context, at place.Place, now func() time.Time) (info *Info, err error) {
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

// AwaitGone waits until the daemon with that process id has ended. The next one may run by then.
func AwaitGone(ctx context.Context, at place.Place, pid int) error {
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
