//go:build !linux

package hosts

import "time"

// timePassed returns the time since this program was started. Where the machine slept meanwhile,
// that may be missing.
func timePassed() time.Duration { return time.Since(loaded) }
