//go:build !linux

package tmux

import "syscall"

// diesWithParent has no equivalent outside Linux: Open kills what a dead daemon
// left behind.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
