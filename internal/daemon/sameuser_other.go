//go:build !linux

package daemon

import (
	"context"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lsofWithin bounds a call of lsof, which takes some tens of milliseconds.
const lsofWithin = 5 * time.Second

// ownsConnection reports whether a process of the user has the end of a connection at from, whose other end
// is at to. It asks lsof, which belongs to macOS; without lsof, nobody has it.
func ownsConnection(from, to netip.AddrPort, uid int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), lsofWithin)
	defer cancel()

	out, err := exec.CommandContext(ctx, "lsof", "-a", "-n", "-P", "-u", strconv.Itoa(uid),
		"-iTCP:"+strconv.Itoa(int(from.Port())), "-Fn").Output()
	if err != nil {
		return false
	}

	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) == "n"+from.String()+"->"+to.String() {
			return true
		}
	}
	return false
}
