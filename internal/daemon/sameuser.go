package daemon

import (
	"net"
	"net/http"
	"net/netip"
	"os"
)

// sameUser reports whether a request over TCP comes from a process of this user on this machine, as far as
// the system tells.
func sameUser(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	here, err := netip.ParseAddrPort(local.String())
	if err != nil {
		return false
	}
	there, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	return ownsConnection(there, here, os.Getuid())
}

// userOf names the user of a process of this machine that has the other end of a connection, as far as the
// system tells at once: "" where it does not.
func userOf(conn net.Conn) string {
	here, err := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil {
		return ""
	}
	there, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return connectionUser(there, here)
}
