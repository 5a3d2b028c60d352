package httpapi

import (
	"sync"

	"parley"
)

// maxCalls is how many calls of one caller may run at once, streams and waits included: as many as
// an agent's bridge can make.
const maxCalls = 100

// busy counts the running calls of each caller. The zero value is ready for use.
type busy struct {
	mu    sync.Mutex
	calls map[string]int // by the caller's id; all without one together
}

// enter counts a call until done is called. The error is RATE_LIMITED for a caller of whom too many
// run. The operator has no limit.
func (b *busy) enter(caller parley.Caller) (done func(), err error) {
	if caller.Operator {
		return func() {}, nil
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	if b.calls[caller.ID] >= maxCalls {
		return nil, parley.Errorf(parley.RateLimited, "%d calls of yours are running", maxCalls).
			With("limit", maxCalls).
			Suggest("Wait until one of them ends, and wait for several things with one call.")
	}
	if b.calls == nil {
		b.calls = map[string]int{}
	}
	b.calls[caller.ID]++

	return func() { b.leave(caller.ID) }, nil
}

func (b *busy) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[id]--; b.calls[id] == 0 {
		delete(b.calls, id)
	}
}
