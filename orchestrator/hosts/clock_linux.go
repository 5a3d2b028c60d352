package hosts

import (
	"time"

	"golang.org/x/sys/unix"
)

// timePassed returns the time since the machine was started, its sleep included.
func timePassed() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(loaded)
	}
	return time.Duration(t.Nano())
}
