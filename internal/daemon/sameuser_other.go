//go:build !linux

package daemon

import (
	"context"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// connectionUser returns "": lsof would keep everybody waiting who connects.
func connectionUser(_, _ netip.AddrPort) string { return "" }

// lsofWithin bounds a call of lsof, which takes some tens of milliseconds.
const lsofWithin = 5 * time.Second

// ownsConnection reports whether a process of the user has the end of a connection at from, whose other end
// is at to.
func ownsConnection(from, to netip.AddrPort, uid int) bool { return len(lsof(from, to, uid)) > 0 }

// holders returns the processes of this user that have the end of a connection at from, whose other end is
// at to. Those of another user are not shown.
func holders(from, to netip.AddrPort) (pids []int, isOthers bool) {
	return lsof(from, to, os.Getuid()), false
}

// lsof asks the program of that name, which belongs to macOS; without it, no process is found.
func lsof(from, to netip.AddrPort, uid int) (pids []int) {
	ctx, cancel := context.WithTimeout(context.Background(), lsofWithin)
	defer cancel()

	out, err := exec.CommandContext(ctx, "lsof", "-a", "-n", "-P", "-u", strconv.Itoa(uid),
		"-iTCP:"+strconv.Itoa(int(from.Port())), "-Fpn").Output()
	if err != nil {
		return nil
	}

	pid := 0
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if number, ok := strings.CutPrefix(line, "p"); ok {
			pid, _ = strconv.Atoi(number)
		}
		if line == "n"+from.String()+"->"+to.String() {
			pids = append(pids, pid)
		}
	}
	return pids
}
