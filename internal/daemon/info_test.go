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
)

// Keys would go to whoever listens on the socket that a daemon.json names.
func TestForeignSocketIsNotObeyed(t *testing.T) {
	dir := shortDir(t)
	env := Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")}
	at, other := Locate(t.TempDir(), env), Locate(t.TempDir(), env)
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
		must.Do(t, writeInfo(at, Info{PID: os.Getpid(), Socket: socket}))
		if got := Running(t.Context(), at); (got != nil) != own {
			t.Errorf("%s: obeyed: %t, want %t", socket, got != nil, own)
		}
	}

	must.Do(t, writeInfo(at, Info{PID: os.Getpid(), Socket: at.Socket()}))
	must.Do(t, os.Chmod(at.Runtime, 0o777))
	if Running(t.Context(), at) != nil {
		t.Error("a socket is obeyed that others can replace")
	}
}

// The socket was removed, and the daemon does not make it again: it is stopped, or hangs.
func TestADaemonWithoutItsSocketIsNotWaitedFor(t *testing.T) {
	dir := shortDir(t)
	at := Locate(t.TempDir(), Environ{"XDG_RUNTIME_DIR=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state")})
	must.Do(t, at.Prepare())
	if info, err := Find(t.Context(), at, time.Now); info != nil || err != nil {
		t.Fatalf("found %v, %v where no daemon runs", info, err)
	}

	held := must.Have(lock(at))(t)
	t.Cleanup(func() { _ = held.Close() })
	must.Do(t, writeInfo(at, Info{PID: os.Getpid(), Socket: at.Socket()}))

	looks := 0
	now := time.Now()
	info, err := Find(t.Context(), at, func() time.Time { looks++; return now.Add(time.Duration(looks) * time.Second) })
	if e := parley.AsError(err); info != nil || e.Code != parley.DaemonUnavailable || !strings.Contains(e.Action, "kill ") {
		t.Errorf("found %v, %v", info, err)
	}
}
