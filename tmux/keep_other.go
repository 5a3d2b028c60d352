//go:build !linux

package tmux

import (
	"fmt"
	"syscall"
)

// CanKeep reports whether Keep works on this system.
const CanKeep = false

// Keep needs Linux: no other system gives orphans another parent than its first process.
func Keep([]string) error { return fmt.Errorf("keep the tmux server: %w", ErrUnsupported) }

// diesWithParent has no equivalent outside Linux: Open kills what a dead daemon
// left behind.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
