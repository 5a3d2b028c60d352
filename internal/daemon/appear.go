package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"parley"
	"parley/internal/disk"
	"parley/internal/wait"
)

// watchPlace ends the daemon when its workspace was renamed or removed, or another daemon has its place. It writes what
// others need to find the daemon, and to find out that it runs, again when that was removed.
func (d *daemon) watchPlace(ctx context.Context) {
	said := "" // the last failure, which is logged once
	for wait.Pause(ctx, time.Second) == nil {
		if _, err := os.Lstat(d.Place.Root); errors.Is(err, fs.ErrNotExist) {
			d.log.Error("the workspace was renamed or removed", "workspace", d.Place.Root)
			d.end()
			return
		}
		if disk.Exists(d.Place.Info()) && disk.Exists(d.Place.Lock()) && disk.Exists(d.Place.inRoot(idFile)) &&
			disk.Exists(d.Place.Socket()) && !d.isReplaced() {
			continue
		}

		err := d.appear()
		if parley.ErrorCode(err) == parley.DaemonRunning {
			d.log.Error("the state directory was moved, and another daemon has its place", "state", d.Place.Home)
			d.leave(ctx)
			return
		}
		if err != nil && err.Error() != said {
			d.log.Error("write the state directory again", "error", err)
			said = err.Error()
		}
	}
}

// appear makes the daemon be found again.
func (d *daemon) appear() error {
	if err := d.Place.Prepare(); err != nil {
		return err
	}
	if !disk.Exists(d.Place.Lock()) || d.isReplaced() {
		taken, err := lock(d.Place)
		if err != nil {
			return err
		}
		_ = d.lock.Close() // of a file that has no name any more
		d.lock = taken
	}
	if !disk.Exists(d.Place.Socket()) {
		if err := d.unix.make(); err != nil {
			return err
		}
		d.log.Warn("the socket was removed, and is made again", "socket", d.Place.Socket())
	}
	return d.publish()
}

// isReplaced reports whether the workspace's lock is another file than the one that this daemon holds.
func (d *daemon) isReplaced() bool {
	ours, err := d.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(d.Place.Lock())
	return err == nil && !os.SameFile(ours, there)
}

// leave ends the daemon. The store first gets the time to notice whether its files have gone too, and to save them.
func (d *daemon) leave(ctx context.Context) {
	select {
	case <-d.store.Workspace.Vanished():
	case <-ctx.Done():
	case <-time.After(3 * time.Second):
	}
	d.end()
}
