package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/store"

	"golang.org/x/sys/unix"
)

func (d *doctor) checkDaemon(ctx context.Context) (f findings) {
	info, err := daemon.ReadInfo(d.at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.warn("daemon", "Remove it; the next daemon writes a new one.",
			"%s cannot be read: %v", d.at.Info(), daemon.PathCause(err))

		return f
	}

	if info != nil && healthy(ctx, "unix", info.Socket) == nil {
		d.aboutRunning(&f, info)
		return f
	}

	held, err := daemon.Locked(d.at)
	switch {
	case err != nil:
		f.bad("daemon", "Make it readable for you.", "%s: %v", d.at.Lock(), daemon.PathCause(err))
	case held && info != nil:
		f.bad("daemon",
			fmt.Sprintf("End it with: kill %d. The agents stay, and the next command starts a new daemon.", info.PID),
			"the daemon (pid %d) runs, but does not answer on %s", info.PID, info.Socket)
	case held:
		f.warn("daemon", "Check again in a few seconds; if nothing changes, look into "+d.at.Log()+".",
			"a daemon is starting or ending")
	case info != nil:
		f.warn("daemon",
			"Any command starts a new one, which finds the agents. "+d.at.Log()+" may tell how the last one ended.",
			"not running; the last one (pid %d) crashed or was killed", info.PID)
	default:
		f.ok("daemon", "not running; the next command starts it")
	}

	return f
}

func (d *doctor) aboutRunning(f *findings, info *daemon.Info) {
	if info.Version != buildVersion() {
		f.warn("daemon", "To start the new version: parley down --keep-agents, then any command; the agents stay.",
			"the daemon (pid %d) is version %s, this program %s", info.PID, info.Version, buildVersion())
		return
	}

	if file, err := os.Stat(d.at.TeamFile()); err == nil && file.ModTime().After(info.StartedAt) {
		f.warn("daemon", "To apply the changes: parley down --keep-agents, then any command; the agents stay.",
			"parley.yaml has changed since the daemon (pid %d) read it", info.PID)

		return
	}

	f.ok("daemon", "%s, pid %d, up for %s", info.Version, info.PID, d.ago(info.StartedAt))
}

// healthy returns nil if a parley daemon answers at the address.
func healthy(ctx context.Context, network, address string) error {
	_, err := health(ctx, network, address)
	return err
}

// health reports whether the daemon at the address can work. The error says that no
// daemon answers there.
func health(ctx context.Context, network, address string) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()

	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/healthz", nil)
	if err != nil {
		return false, err
	}

	res, err := transport.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable { // unhealthy, but it answers
		return false, fmt.Errorf("it answered %s", res.Status)
	}

	return res.StatusCode == http.StatusOK, nil
}

// checkPort checks the daemon's TCP port: a running daemon must answer on it; otherwise
// the port of the next one must be free.
func (d *doctor) checkPort(ctx context.Context) (f findings) {
	info, err := daemon.ReadInfo(d.at)
	if err == nil && healthy(ctx, "unix", info.Socket) == nil {
		u, err := url.Parse(info.HTTP)
		if err == nil {
			err = healthy(ctx, "tcp", u.Host)
		}

		if err != nil {
			f.bad("port", "Restart the daemon: parley down --keep-agents, then any command.",
				"the daemon does not answer on %s: %v", info.HTTP, err)

			return f
		}

		f.ok("port", "the daemon answers on %s", info.HTTP)

		return f
	}

	fixed, kept := 0, daemon.KeptPort(d.at)
	if d.team != nil {
		fixed = d.team.Settings.HTTPPort
	}

	err = listens(cmp.Or(fixed, kept))
	switch {
	case err == nil && fixed+kept == 0:
		f.ok("port", "the daemon will take a free one")
	case err == nil:
		f.ok("port", "%d is free", cmp.Or(fixed, kept))
	case fixed == 0 && taken(err):
		f.warn("port", "Nothing, unless a program uses that number.",
			"%d, the last daemon's port, is in use; the next one will take another", kept)
	case taken(err):
		f.bad("port", "Give http_port in parley.yaml another number, or leave it out to get a free one.",
			"%d is in use", fixed)
	default:
		f.bad("port", "Give http_port in parley.yaml a number above 1023, or leave it out.", "%v", err)
	}

	return f
}

func (d *doctor) checkDatabase(ctx context.Context) (f findings) {
	url := d.database()
	if err := d.at.CheckDatabase(url); err != nil {
		f.fail("database", err)
		return f
	}

	h, err := store.Inspect(ctx, d.at.Store(url))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.ok("database", "none yet; the daemon creates it")
	case errors.Is(err, context.DeadlineExceeded):
		f.warn("database", "Try again when the machine is idle.", "too large to be read within %s", thoroughly)
	case err != nil:
		f.fail("database", err)
	case h.Version > h.Known:
		f.bad("database",
			"Use the newer parley, or restore an older copy; automatic ones are in "+d.at.Backups()+".",
			"it was written by a newer parley: its version is %d, this program's is %d", h.Version, h.Known)
	case h.Place != "" && h.Version == 0:
		f.ok("database", "%s, empty; the daemon makes its tables", h.Place)
	case h.Place != "":
		f.ok("database", "%s, %s, version %d", h.Place, size(h.Size), h.Version)
	case h.Version < h.Known:
		f.ok("database", "sound, %s, version %d; the next daemon migrates it to %d", size(h.Size+h.Log), h.Version,
			h.Known)
	default:
		f.ok("database", "sound, %s, version %d", size(h.Size+h.Log), h.Version)
	}

	return f
}

// database returns the setting database, "" if it is not set or the settings cannot be read.
func (d *doctor) database() string {
	if d.team == nil {
		return ""
	}
	return d.team.Settings.Database
}

// Limits of free space. A message takes about a kilobyte, the log of the database up to
// 16 MB, and a copy before a migration the size of the database.
const (
	littleSpace = 500 << 20
	noSpace     = 50 << 20
)

func (d *doctor) checkDisk(context.Context) (f findings) {
	dir := existing(d.at.Database())
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		f.warn("disk", "Run df "+dir+".", "its free space is unknown: %v", err)
		return f
	}
	spaceFound(&f, int64(st.Bavail)*int64(st.Bsize), dir) // the types differ between systems
	return f
}

func spaceFound(f *findings, free int64, dir string) {
	switch {
	case free < noSpace:
		f.bad("disk", "Make room on the disk of "+dir+".", "%s free", size(free))
	case free < littleSpace:
		f.warn("disk", "Make room on the disk of "+dir+".", "%s free", size(free))
	default:
		f.ok("disk", "%s free", size(free))
	}
}

// repair puts back a database that was removed while parley ran. It ends the daemon only if
// that accepts nothing more.
func (d *doctor) repair(ctx context.Context) error {
	at, err := d.place()
	if err != nil {
		return err
	}

	if _, err := os.Stat(at.DatabaseNote()); err == nil {
		return parley.Errorf(parley.InvalidArgument,
			"the database of this workspace is on a server, which parley does not repair").
			Suggest("Look at the server's log and disk. parley doctor says what parley sees of it.")
	}

	info, err := daemon.Find(ctx, at, d.now)
	if err != nil {
		return err
	}
	if info != nil {
		if ok, err := health(ctx, "unix", info.Socket); ok || err != nil {
			return err
		}
		if _, err := d.clientOf(info).ShutDown(ctx, parley.ShutDownRequest{KeepAgents: true}); err != nil {
			return err
		}
	}

	return d.replaceDatabase(ctx, at)
}

// replaceDatabase repairs the database once the daemon has ended, and keeps the next one from opening it
// meanwhile.
func (d *doctor) replaceDatabase(ctx context.Context, at daemon.Place) (err error) {
	ending, cancel := context.WithTimeoutCause(ctx, daemon.EndWithin+daemon.StartWithin, stillEnding(at))
	defer cancel()
	held, err := daemon.AwaitLock(ending, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()

	if err := at.MoveIn(); err != nil {
		return err
	}
	repair := store.Repair
	if d.asIs {
		repair = store.GoOn
	}
	done, err := repair(ctx, at.Store(""))
	if text := d.repairedWords(done); err == nil && text != "" {
		text += " The next command starts the daemon."
		if d.json {
			d.repaired = repairedOf(done, text)
			return nil
		}
		return d.printLine(text)
	}

	return err
}

func repairedOf(done store.Repaired, text string) *repaired {
	r := &repaired{Message: text, PutBack: done.PutBack, Damaged: done.Aside}
	if done.Copy != nil {
		r.Copy, r.CopyMade = done.Copy.Path, &done.Copy.Made
	}
	if done.Lacks != nil {
		r.LacksMessages, r.LacksEvents = done.Lacks.Messages, done.Lacks.Events
	}
	return r
}

// repairedWords says what a repair did, "" for nothing.
func (d *doctor) repairedWords(done store.Repaired) string {
	switch {
	case !done.Replaced && done.PutBack:
		return "The database was put back."
	case !done.Replaced:
		return ""
	}

	text := "The database was not whole. It was rebuilt from what it held."
	switch {
	case done.Copy != nil:
		text = fmt.Sprintf("The database was not whole. The copy of %s ago took its place.", d.ago(done.Copy.Made))
	case done.Aside == "":
		text = "Nothing was left of the database. It begins again, without agents and messages."
	}
	if done.Lacks != nil {
		text += fmt.Sprintf(" It lacks %s that parley had acknowledged.", done.Lacks.Words())
	} else {
		text += " Nothing that was acknowledged is missing."
	}
	if done.Aside == "" {
		return text
	}

	return text + " What was there is " + done.Aside + "."
}
