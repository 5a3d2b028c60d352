package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/place"
)

// Keys would go to whoever listens on the socket that a daemon.json names.
func TestForeignSocketIsNotObeyed(t *testing.T) {
	dir := shortDir(t)
	env := Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
	at, other := place.Locate(t.TempDir(), env), place.Locate(t.TempDir(), env)
	must.Do(t, at.Prepare())
	must.Do(t, other.Prepare())

	for socket, own := range map[string]bool{
		at.Socket():                           true,
		other.Socket():                        false,
		filepath.Join(at.Runtime, "ssh.sock"): false,
		filepath.Join(dir, "daemon.sock"):     false,
	} {
		l := must.Have(net.Listen("unix", socket))(t)
		defer l.Close()
		must.Do(t, writeInfo(at.Info(), Info{PID: os.Getpid(), Socket: socket}))
		if got := Running(t.Context(), at); (got != nil) != own {
			t.Errorf("%s: obeyed: %t, want %t", socket, got != nil, own)
		}
	}

	must.Do(t, writeInfo(at.Info(), Info{PID: os.Getpid(), Socket: at.Socket()}))
	must.Do(t, os.Chmod(at.Runtime, 0o777))
	if Running(t.Context(), at) != nil {
		t.Error("a socket is obeyed that others can replace")
	}
}

// The socket was removed, and the daemon does not make it again: it is stopped, or hangs.
func TestADaemonWithoutItsSocketIsNotWaitedFor(t *testing.T) {
	dir := shortDir(t)
	at := place.Locate(t.TempDir(), Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")})
	must.Do(t, at.Prepare())
	if info, err := Find(t.Context(), at, time.Now); info != nil || err != nil {
		t.Fatalf("found %v, %v where no daemon runs", info, err)
	}

	held := must.Have(at.Lock().Take())(t)
	t.Cleanup(func() { _ = held.Close() })
	must.Do(t, writeInfo(at.Info(), Info{PID: os.Getpid(), Socket: at.Socket()}))

	looks := 0
	now := time.Now()
	info, err := Find(t.Context(), at, func() time.Time { looks++; return now.Add(time.Duration(looks) * time.Second) })
	if e := parley.AsError(err); info != nil || e.Code != parley.DaemonUnavailable || !strings.Contains(e.Action,
		"kill ") {
		t.Errorf("found %v, %v", info, err)
	}
}

// Only the holder of the lock is the daemon, and only the process that it says it is.
func TestOnlyTheHolderOfTheLockIsTheDaemon(t *testing.T) {
	at := place.Locate(t.TempDir(), Environ{"HOME=" + shortDir(t)})
	must.Do(t, at.Prepare())
	l := must.Have(listenUnix(t.Context(), at))(t)
	defer l.Close()

	for _, test := range []struct {
		what string
		pid  int
		held bool
		good bool
	}{
		{"the daemon", os.Getpid(), true, true},
		{"without the lock", os.Getpid(), false, false},
		{"another process than the holder", os.Getpid() + 1, true, false},
	} {
		must.Do(t, writeInfo(at.Info(), Info{PID: test.pid, Socket: at.Socket()}))
		release := func() error { return nil }
		if test.held {
			release = must.Have(at.Lock().Take())(t).Close
		}
		conn := must.Have(net.Dial("unix", at.Socket()))(t)
		err := must.Have(ReadInfo(at))(t).Check(conn)
		if conn.Close(); (err == nil) != test.good || err != nil && parley.ErrorCode(err) != parley.DaemonUnavailable {
			t.Errorf("%s: %v", test.what, err)
		}
		must.Do(t, release())
	}
}

// What happened to a workspace is kept until a daemon has told it. One that still runs while it is noted, or gives up
// before it runs, has not.
func TestANoticeIsKeptUntilItIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		first, tells, then bool // it is there when the daemon begins; that runs; another comes then
		want               string
	}{
		"a daemon that runs":                {first: true, tells: true},
		"one that gives up before it runs":  {first: true, want: "the first"},
		"one that runs when it is noted":    {tells: true, then: true, want: "the next"},
		"one that has told of another then": {first: true, tells: true, then: true, want: "the next"},
	} {
		t.Run(name, func(t *testing.T) {
			root := shortDir(t)
			must.Do(t, os.Mkdir(filepath.Join(root, "shop"), 0o700))
			d := daemon{Options: Options{Place: locate(root, "shop"), Now: time.Now}}
			must.Do(t, d.Place.Prepare())
			d.lock = must.Have(d.Place.Lock().Take())(t)
			notice := d.Place.Notice()
			if test.first {
				must.Do(t, os.WriteFile(notice, []byte("the first\n"), 0o600))
			}
			if d.tcp = must.Have(net.Listen("tcp", "127.0.0.1:0"))(t); test.tells {
				d.status()
			}
			if test.then {
				must.Do(t, os.WriteFile(notice, []byte("the next\n"), 0o600))
			}

			must.Do(t, d.close())
			if got := place.ReadNote(notice); got != test.want {
				t.Errorf("the next daemon finds %q, want %q", got, test.want)
			}
		})
	}
}
