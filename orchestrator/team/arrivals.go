package team

import "sync"

// arrivals wake those who wait for a message.
type arrivals struct {
	mu   sync.Mutex
	next chan struct{} // closed when a message comes
}

// NotifyArrival wakes all callers that wait for a message to this member: it closes the channel of
// Arrival.
func (a *arrivals) NotifyArrival() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.next)
	a.next = make(chan struct{})
}

// Arrival returns a channel that is closed when the next message comes.
func (a *arrivals) Arrival() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}
