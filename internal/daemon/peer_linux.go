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

	var cred *unix.Ucred
	ctlErr := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if ctlErr != nil {
		return 0, 0, fmt.Errorf("reach the connection: %w", ctlErr)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("identify the peer: %w", err)
	}

	return int(cred.Pid), int(cred.Uid), nil
}

// peerRuns reports whether the process at the other end of a unix connection runs. The kernel holds that process by
// the connection, so that another one with its number is not taken for it; one older than 6.5 knows the number alone.
func peerRuns(conn *net.UnixConn, pid int) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}

	runs := false
	err = raw.Control(func(fd uintptr) {
		held, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		switch err {
		case nil:
			defer unix.Close(held)
			runs = unix.PidfdSendSignal(held, 0, nil, 0) != unix.ESRCH
		case unix.ENOPROTOOPT:
			runs = unix.Kill(pid, 0) != unix.ESRCH
		}
	})

	return err == nil && runs
}
