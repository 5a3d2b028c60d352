package door

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"parley/tmux"
)

// listener is the state of a listening socket in /proc/net/tcp.
const listener = "0A"

// checkListener returns an error unless the program listens on a port of 127.0.0.1.
func checkListener(pid, port int) error {
	inode, err := listeningInode(port)
	if err != nil {
		return err
	}

	for _, p := range family(pid) {
		if slices.Contains(sockets(p), inode) {
			return nil
		}
	}

	return fmt.Errorf("another process than %d listens on port %d", pid, port)
}

// listeningInode returns the number of the socket that listens on a port of 127.0.0.1.
func listeningInode(port int) (string, error) {
	table, err := os.ReadFile("/proc/net/tcp")
	if err != nil {
		return "", err
	}

	address := fmt.Sprintf("0100007F:%04X", port)
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if len(f) > 9 && f[1] == address && f[3] == listener {
			return f[9], nil
		}
	}

	return "", fmt.Errorf("nothing listens on port %d", port)
}

// sockets lists the numbers of the sockets that a process has open.
func sockets(pid int) (inodes []string) {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it has ended, or is another user's
	}

	for _, e := range entries {
		to, _ := os.Readlink(filepath.Join(dir, e.Name()))
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}

	return inodes
}

// checkPeer returns an error unless the program is at the other end of a unix socket.
func checkPeer(conn *net.UnixConn, pid int) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}

	var peer *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil {
		return e
	}
	if err != nil {
		return err
	}

	if int(peer.Uid) != os.Getuid() || !slices.Contains(family(pid), int(peer.Pid)) {
		return fmt.Errorf("process %d of user %d is behind the door of %d", peer.Pid, peer.Uid, pid)
	}
	return nil
}

// family lists a program's process and those that descend from it: some programs are started by a script.
func family(pid int) []int {
	below, err := tmux.Descendants(pid)
	if err != nil {
		below = nil // then the process alone counts
	}
	return append([]int{pid}, below...)
}
