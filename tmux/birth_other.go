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

// bornLayout is how ps writes when a process was started, with single spaces.
const bornLayout = "Mon Jan 2 15:04:05 2006"

// Older reports whether a process was started before another one, by their births. It reports false where that
// cannot be told.
func Older(born, other string) bool {
	a, err := time.Parse(bornLayout, born)
	b, err2 := time.Parse(bornLayout, other)
	return err == nil && err2 == nil && a.Before(b)
}

// BirthNow returns the birth of a process that is started now.
func BirthNow() string { return time.Now().Format(bornLayout) }

// Marked needs other processes' environments, which only Linux shows.
func Marked(string) []int { return nil }

// StartedAt returns when a process was started. It is not ok: ps tells whole seconds.
func StartedAt(int) (at time.Time, ok bool) { return time.Time{}, false }

// WorkingIn returns no process: there is no way to ask for a working directory without a call into C.
func WorkingIn(string) []int { return nil }
