//go:build !linux && !darwin

package main

import (
	"net"
	"os"
)

// peerOf knows nothing here: the socket's mode alone says that the peer is the
// same user, and process 0 descends from no agent.
func peerOf(*net.UnixConn) (pid, uid int, err error) { return 0, os.Getuid(), nil }
