//go:build !linux

package tmux

import (
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Birth tells a process from a later one of the same pid: when it was started.
func Birth(pid int) string {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// Marked needs other processes' environments, which only Linux shows.
func Marked(string) []int { return nil }

// StartedAt returns when a process was started. It is not ok: ps tells whole seconds.
func StartedAt(int) (at time.Time, ok bool) { return time.Time{}, false }

// WorkingIn returns no process: there is no way to ask for a working directory without a call into C.
func WorkingIn(string) []int { return nil }

// Listeners returns no process: only Linux shows other processes' sockets.
func Listeners(int) []int { return nil }
