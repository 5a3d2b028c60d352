package store

import (
	"context"
	"sync/atomic"
	"time"
)

// patience is how long statements wait for a server that cannot be reached, from the first that
// has found it so: a server that starts again takes seconds. Later ones fail at once.
const patience = 4 * time.Second

// retryPause is the time between two tries.
const retryPause = 100 * time.Millisecond

// outage notes since when a server cannot be reached.
type outage struct{ since atomic.Int64 }

// again reports whether to try again what has ended with an error. It waits before it says yes.
func (o *outage) again(ctx context.Context, err error) bool {
	now := time.Now().UnixNano()
	switch postgresFault(err) {
	case faultUnreachable:
		o.since.CompareAndSwap(0, now)
	case faultConflict:
		now = 0 // it is there
	default:
		if err == nil {
			o.since.Store(0)
		}
		return false
	}
	if since := o.since.Load(); since != 0 && now-since > int64(patience) {
		return false
	}

	select {
	case <-time.After(retryPause):
		return true
	case <-ctx.Done():
		return false
	}
}
