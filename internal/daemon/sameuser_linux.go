package daemon

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

func findSocket(from, to netip.AddrPort) (socket, bool) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if s, ok := socketIn(string(table), from, to); ok {
			return s, true
		}
	}
	return socket{}, false
}

// socketIn looks a connection up in a table of /proc/net. An end that its process has closed has no inode, and
// belongs to nobody: its user is shown as 0.
func socketIn(table string, from, to netip.AddrPort) (socket, bool) {
	const local, remote, user, inode, fields = 1, 2, 7, 9, 10
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) >= fields && same(f[local], from) && same(f[remote], to) {
			uid, err := strconv.Atoi(f[user])
			return socket{uid, f[inode]}, err == nil && f[inode] != "0"
		}
	}
	return socket{}, false
}

// same reports whether an entry of the table, such as 0100007F:1F90, is an address. The table has each four
// bytes of an address in the order of the machine.
func same(entry string, want netip.AddrPort) bool {
	address, port, _ := strings.Cut(entry, ":")
	number, err := strconv.ParseUint(port, 16, 16)
	raw, err2 := hex.DecodeString(address)
	if err != nil || err2 != nil || len(raw)%4 != 0 {
		return false
	}

	var native [4]byte
	binary.NativeEndian.PutUint32(native[:], 1)
	if native[0] == 1 {
		for word := range slices.Chunk(raw, 4) {
			slices.Reverse(word)
		}
	}

	ip, ok := netip.AddrFromSlice(raw)
	return ok && ip.Unmap() == want.Addr().Unmap().WithZone("") && uint16(number) == want.Port()
}
