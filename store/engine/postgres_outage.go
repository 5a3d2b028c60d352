package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// patience is how long statements wait for a server that cannot be reached, from the first that
// has found it so: a server that starts again takes seconds. Later ones fail at once.
const patience = 4 * time.Second

// RetryPause is the time between two tries.
const RetryPause = 100 * time.Millisecond

// Outage notes since when a server cannot be reached.
type Outage struct{ since atomic.Int64 }

// Again reports whether to try again what has ended with an error. It waits before it says yes.
func (o *Outage) Again(ctx context.Context, err error) bool {
	now := time.Now().UnixNano()
	switch PostgresFault(err) {
	case FaultUnreachable:
		o.since.CompareAndSwap(0, now)
	case FaultConflict:
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
	case <-time.After(RetryPause):
		return true
	case <-ctx.Done():
		return false
	}
}
