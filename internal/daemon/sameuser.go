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
