package orchestrator

import (
	"syscall"
	"testing"
	"time"
)

// cpuTime is what this process has used of the processor; its tmux is not
// counted.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
