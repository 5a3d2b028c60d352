package daemon

import (
	"encoding/binary"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownsConnection reports whether a process of the user has the end of a connection at from, whose other end
// is at to.
func ownsConnection(from, to netip.AddrPort, uid int) bool {
	s, ok := findSocket(from, to)
	return ok && s.uid == uid
}

// connectionUser returns the user whose process has the end of a connection at from, "" if that is not known.
func connectionUser(from, to netip.AddrPort) string {
	s, ok := findSocket(from, to)
	if !ok {
		return ""
	}
	return strconv.Itoa(s.uid)
}

// holders returns the processes of this user that have the end of a connection at from, whose other end is
// at to. isOthers reports that it belongs to another user of this machine.
func holders(from, to netip.AddrPort) (pids []int, isOthers bool) {
	s, ok := findSocket(from, to)
	if !ok || s.uid != os.Getuid() {
		return nil, ok
	}

	name := "socket:[" + s.inode + "]"
	dirs, _ := filepath.Glob("/proc/[0-9]*/fd")
	for _, dir := range dirs {
		fds, _ := os.ReadDir(dir) // none of another user's
		has := slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
			file, err := os.Readlink(dir + "/" + fd.Name())
			return err == nil && file == name
		})
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(dir))); has && err == nil {
			pids = append(pids, pid)
		}
	}

	return pids, false
}

// socket is one end of a connection.
type socket struct {
	uid   int
	inode string
}

// findSocket asks the kernel for the one socket with these ends. The tables in /proc/net tell the same, but to read
// them takes milliseconds where there are thousands of connections, so any user could keep the daemon busy.
func findSocket(from, to netip.AddrPort) (socket, bool) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return socket{}, false
	}
	defer unix.Close(fd)

	if err := unix.Sendto(fd, diagRequest(from, to), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return socket{}, false
	}
	answer := make([]byte, 1<<10)
	n, _, err := unix.Recvfrom(fd, answer, unix.MSG_DONTWAIT) // the kernel has answered when Sendto returns
	if err != nil {
		return socket{}, false
	}

	return diagAnswer(answer[:n], from, to)
}

// What linux/sock_diag.h and linux/inet_diag.h say of a question and its answer. Both begin with a header of netlink;
// what comes before and after the ends of the connection is skipped here.
const (
	byFamily    = 20 // SOCK_DIAG_BY_FAMILY
	requestSize = unix.SizeofNlMsghdr + 56
	endsAt      = unix.SizeofNlMsghdr + 4
	userAt      = unix.SizeofNlMsghdr + 64
	inodeAt     = unix.SizeofNlMsghdr + 68
)

// diagRequest returns the question for a connection in any state.
func diagRequest(from, to netip.AddrPort) []byte {
	family := byte(unix.AF_INET)
	if !from.Addr().Unmap().Is4() {
		family = unix.AF_INET6
	}
	zone := uint32(0)
	if i, err := net.InterfaceByName(from.Addr().Zone()); err == nil {
		zone = uint32(i.Index)
	}

	native := binary.NativeEndian
	b := native.AppendUint32(nil, requestSize)
	b = native.AppendUint16(b, byFamily)
	b = native.AppendUint16(b, unix.NLM_F_REQUEST)
	b = append(b, make([]byte, 8)...) // a number and a sender, which the kernel does not need
	b = append(b, family, unix.IPPROTO_TCP, 0, 0)
	b = native.AppendUint32(b, math.MaxUint32)
	b = binary.BigEndian.AppendUint16(b, from.Port())
	b = binary.BigEndian.AppendUint16(b, to.Port())
	for _, end := range []netip.AddrPort{from, to} {
		var address [16]byte
		copy(address[:], end.Addr().Unmap().AsSlice())
		b = append(b, address[:]...)
	}
	b = native.AppendUint32(b, zone)
	return native.AppendUint64(b, math.MaxUint64) // any cookie
}

// diagAnswer reads an answer. For a connection that it does not find, the kernel may answer with a socket that
// listens at from. An end that its process has closed has no inode, and belongs to nobody.
func diagAnswer(b []byte, from, to netip.AddrPort) (socket, bool) {
	native := binary.NativeEndian
	if len(b) < inodeAt+4 || native.Uint16(b[4:]) != byFamily {
		return socket{}, false
	}

	end := func(port, address int) netip.AddrPort {
		raw := b[endsAt+address : endsAt+address+16]
		if b[unix.SizeofNlMsghdr] == unix.AF_INET {
			raw = raw[:4]
		}
		ip, _ := netip.AddrFromSlice(raw)
		return netip.AddrPortFrom(ip.Unmap(), binary.BigEndian.Uint16(b[endsAt+port:]))
	}
	plain := func(a netip.AddrPort) netip.AddrPort {
		return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
	}
	isIt := end(0, 4) == plain(from) && end(2, 20) == plain(to)
	inode := native.Uint32(b[inodeAt:])

	return socket{int(native.Uint32(b[userAt:])), strconv.FormatUint(uint64(inode), 10)}, isIt && inode != 0
}
