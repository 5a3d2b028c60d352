package notify

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

var errInward = errors.New("its address leads to this machine or network")

// within are the addresses that lead to this machine or network, or nowhere in public, besides those that netip knows.
var within = prefixes("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "100::/64", "2001::/23",
	"2001:db8::/32",
	"3fff::/20", "5f00::/16", "fec0::/10")

// carriers are the prefixes whose addresses have one of IPv4 in them, from a byte on.
var carriers = []struct {
	netip.Prefix
	at int
}{{netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("2002::/16"), 2}}

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// inward reports whether an address does not lead to a public server.
func inward(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() { // neither loopback nor link-local is one
		return true
	}
	for _, p := range within {
		if p.Contains(ip) {
			return true
		}
	}
	for _, c := range carriers {
		if c.Contains(ip) {
			b := ip.As16()
			return inward(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	return false
}

// outward returns a client for addresses that others have chosen: it follows no redirect and takes no proxy, and
// whatever a name resolves to, it connects to public servers only.
func outward() *http.Client {
	dialer := &net.Dialer{Timeout: sendTime, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || inward(to.Addr()) {
			return errInward
		}
		return nil
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: sendTime,
			MaxResponseHeaderBytes: 16 << 10, MaxIdleConns: maxDevices, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
