package admission

import (
	"net/netip"
	"sync"
	"time"

	ratelimit "golang.org/x/time/rate"

	"parley"
)

// Registrations counts registrations by origin: an agent's id or a network address.
type Registrations struct {
	mu   sync.Mutex
	from map[string]*ratelimit.Limiter
}

// bucket returns the bucket of an origin. At maxOrigins it drops the buckets that are full again;
// if none is, new origins share one bucket.
func (d *Registrations) bucket(from string, n int, now time.Time) *ratelimit.Limiter {
	d.mu.Lock()
	defer d.mu.Unlock()

	if d.from == nil {
		d.from = map[string]*ratelimit.Limiter{}
	}

	if d.from[from] == nil && len(d.from) >= maxOrigins {
		for place, bucket := range d.from {
			if bucket.TokensAt(now) >= float64(n) {
				delete(d.from, place)
			}
		}

		if len(d.from) >= maxOrigins {
			from = ""
		}
	}

	if d.from[from] == nil {
		d.from[from] = perMinute(n)
	}

	return d.from[from]
}

// maxOrigins bounds the number of origins that registrations are counted for.
const maxOrigins = 1000

// Admit rate-limits registrations to n a minute: anonymous callers by address, others by caller.
// Calls from this process have no address and are not limited.
func (d *Registrations) Admit(c parley.Caller, n int, now time.Time) error {
	from := c.ID
	switch {
	case c.Nobody() && (c.Unplaced || IsLoopback(c.Address)):
		from = "this machine"
	case c.Nobody():
		from = addressPrefix(c.Address)
	}
	if c.Operator || from == "" {
		return nil
	}

	wait, taken := takeToken(d.bucket(from, n, now), now)
	if taken != nil {
		return nil
	}
	return rateLimited(wait, "too many agents register from here: %d a minute are allowed", n).
		Suggest("Register again after %s, and keep the key: one registration is enough.", seconds(wait))
}

// IsLoopback reports whether an address with a port is one of the many by which this machine calls itself.
func IsLoopback(address string) bool {
	ip, err := netip.ParseAddrPort(address)
	return err == nil && ip.Addr().Unmap().IsLoopback()
}

// addressPrefix returns an address without its port. An IPv6 address is cut to its /64, which
// belongs to one host.
func addressPrefix(address string) string {
	ip, err := netip.ParseAddrPort(address)
	if err != nil {
		return address
	}

	a := ip.Addr().Unmap()
	if a.Is4() {
		return a.String()
	}

	prefix, err := a.WithZone("").Prefix(64)
	if err != nil {
		return address
	}

	return prefix.String()
}
