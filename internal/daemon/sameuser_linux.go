package daemon

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ownsConnection reports whether a process of the user has the end of a connection at from, whose other end
// is at to.
func ownsConnection(from, to netip.AddrPort, uid int) bool {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		table, err := os.ReadFile(file)
		if err == nil && owns(string(table), from, to, uid) {
			return true
		}
	}
	return false
}

// owns looks a connection up in a table of /proc/net. An end that its process has closed has no inode, and
// belongs to nobody: its user is shown as 0.
func owns(table string, from, to netip.AddrPort, uid int) bool {
	const local, remote, user, inode, fields = 1, 2, 7, 9, 10
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) >= fields && same(f[local], from) && same(f[remote], to) {
			return f[user] == strconv.Itoa(uid) && f[inode] != "0"
		}
	}
	return false
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
	return ok && ip.Unmap() == want.Addr().Unmap() && uint16(number) == want.Port()
}
