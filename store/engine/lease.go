package engine

import (
	"sync/atomic"
	"time"
)

// A daemon is its host for a time, on the database's clock, and renews that. On the same machine the
// lock of the state directory keeps a second one out, so a daemon that was killed need not wait.
const (
	// LeaseTime is how long a lease lasts, and RenewEvery how often it is renewed.
	LeaseTime  = 15 * time.Second
	RenewEvery = 5 * time.Second
	// leaseMargin is how long before the end of its lease a daemon stops to type, by its own clock.
	leaseMargin = time.Second
)

// Lease is how long a daemon may type. Safe for concurrent use.
type Lease struct{ from atomic.Pointer[time.Time] }

// Renew begins the lease again at a time before it was asked for.
func (l *Lease) Renew(from time.Time) { l.from.Store(&from) }

// Over reports whether the lease has ended, or is about to. A machine that slept may have missed that
// time on one of its clocks.
func (l *Lease) Over(now time.Time) bool {
	from := l.from.Load()
	return from == nil || max(now.Sub(*from), now.Round(0).Sub(from.Round(0))) > LeaseTime-leaseMargin
}
