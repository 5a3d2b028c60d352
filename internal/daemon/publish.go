package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/disk"
	"parley/internal/place"
	"parley/internal/wait"
	"parley/plain"
)

// publish writes the daemon's address.
func (d *daemon) publish() error {
	return writeInfo(d.Place.Info(), d.address())
}

// address returns what commands know of the daemon.
func (d *daemon) address() Info {
	return Info{
		PID:           d.info.PID,
		Socket:        d.info.Socket,
		HTTP:          d.info.HTTP,
		Version:       d.info.Version,
		StartedAt:     d.info.StartedAt,
		Toolsets:      d.settings.MCPToolsets,
		AgentToolsets: d.toolsets,
		Withheld:      d.withheld,
	}
}

// warnings returns what of its workspace the operator is told.
func (d *daemon) warnings() (words []string) {
	if d.told = place.ReadNote(d.Place.Notice()); d.told != "" {
		words = append(words, d.told)
	}
	if first := d.Place.Brought(); disk.Exists(first) {
		words = append(words, first+" is not used: it came with the files of the project. "+
			"parley's own is "+d.Place.Database()+".")
	}
	if d.withheld != "" {
		words = append(words, d.withheld+". Run parley trust.")
	}
	return words
}

// remember stores how the operator started this daemon.
func (d *daemon) remember() error {
	if !d.Proven || d.Place.Home == "" {
		return nil
	}
	b, err := json.Marshal(startOf(d.Env, d.Flags))
	if err != nil {
		return err
	}
	return os.WriteFile(d.Place.State(begunFile), append(b, '\n'), 0o600)
}

// notes notes what is out of order, unless it is nil, with the command to start with.
func (d *daemon) notes(wrong *parley.Error, command, further string) {
	if wrong == nil {
		return
	}
	text, _, _ := strings.Cut(wrong.Message, "\n")
	d.wrong = append(d.wrong, parley.Need{
		Text: plain.CleanLine(text), Command: command, Action: wrong.Action + further,
	})
}

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
		if d.Place.Stands() && !d.isReplaced() {
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
	if err := d.hold(); err != nil {
		return err
	}
	if err := d.Place.Prepare(); err != nil {
		return err
	}
	if !disk.Exists(d.Place.Socket()) {
		if err := d.unix.make(); err != nil {
			return err
		}
		d.log.Warn("the socket was removed, and is made again", "socket", d.Place.Socket())
	}
	return d.publish()
}

// hold makes the place be this daemon's: it takes the lock again if that was removed. This comes before all that is
// written there, since a command starts a daemon where it finds notes. The error is DAEMON_RUNNING if another one has
// the place.
func (d *daemon) hold() error {
	if disk.Exists(d.Place.Lock().Path) && !d.isReplaced() {
		return nil
	}
	if err := place.PrivateDir(d.Place.Home); err != nil {
		return err
	}
	taken, err := d.Place.Lock().Take()
	if err != nil {
		return err
	}
	_ = d.lock.Close() // of a file that has no name any more
	d.lock = taken
	return nil
}

// isReplaced reports whether the workspace's lock is another file than the one that this daemon holds.
func (d *daemon) isReplaced() bool {
	ours, err := d.lock.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(d.Place.Lock().Path)
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

// goNear listens in the network that this machine is in, if the page has a certificate of its own for that and
// parley.yaml names none, and returns the page's address elsewhere. In another network the page is here alone.
func (d *daemon) goNear() (address string) {
	if d.web.Certificate != "" {
		return d.web.URL
	}
	l, err := listenNear(d.Place.Home, d.web.URL, d.tcp.Addr().(*net.TCPAddr).Port)
	if err != nil {
		d.log.Warn("the page is on this machine alone", "error", err)
		d.web.URL = ""
	}
	d.near = l
	return d.web.URL
}

func (d *daemon) listeners() []net.Listener {
	all := []net.Listener{d.unix, d.tcp, d.own}
	if d.near != nil {
		all = append(all, d.near)
	}
	return all
}

// closePorts closes what browsers reach. The server has closed it, if it served.
func (d *daemon) closePorts() {
	for _, l := range []net.Listener{d.tcp, d.near} {
		if l != nil {
			_ = l.Close()
		}
	}
}
