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
