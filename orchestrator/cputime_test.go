package orchestrator

import (
	"syscall"
	"testing"
	"time"

	"parley/internal/must"
)

// cpuTime returns the CPU time of this process, without its tmux server.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
