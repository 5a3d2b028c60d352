package daemon

import (
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// peerOf returns the process at the other end of a unix connection, and its user.
func peerOf(conn *net.UnixConn) (pid, uid int, err error) {
	var raw syscall.RawConn
	if raw, err = conn.SyscallConn(); err != nil {
		return 0, 0, fmt.Errorf("reach the connection: %w", err)
	}

	var cred *unix.Xucred
	ctlErr := raw.Control(func(fd uintptr) {
		if pid, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID); err == nil {
			cred, err = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		}
	})
	if ctlErr != nil {
		return 0, 0, fmt.Errorf("reach the connection: %w", ctlErr)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("identify the peer: %w", err)
	}

	return pid, int(cred.Uid), nil
}

// peerRuns reports whether the process at the other end of a connection runs, by its number.
func peerRuns(_ *net.UnixConn, pid int) bool { return unix.Kill(pid, 0) != unix.ESRCH }
