package engine

import (
	"fmt"
	"sync/atomic"
)

// Safety says whether a database accepts more, and tells the operator what happened to it.
type Safety struct {
	News  chan string   // what happened, in words
	Saved chan struct{} // closed when all is saved that the removed files held

	lost atomic.Pointer[loss] // why nothing is accepted any more; read by all
	full atomic.Pointer[loss] // how the last change failed for want of room; read by all
}

type loss struct{ error }

// NewSafety returns that of a database which is safe.
func NewSafety() *Safety { return &Safety{News: make(chan string, 4), Saved: make(chan struct{})} }

// Refusal returns why nothing is accepted any more, nil while all is well.
func (a *Safety) Refusal() error {
	if lost := a.lost.Load(); lost != nil {
		return lost.error
	}
	return nil
}

// Condemn accepts nothing more, for a reason. It reports whether that is the first one, which stays.
func (a *Safety) Condemn(why error) (first bool) { return a.lost.CompareAndSwap(nil, &loss{why}) }

// Full returns how the last change failed for want of room on the disk, nil while there is room.
func (a *Safety) Full() error {
	if full := a.full.Load(); full != nil {
		return full.error
	}
	return nil
}

// Tell queues words for the operator. Those that nobody has read are not pushed out.
func (a *Safety) Tell(format string, args ...any) {
	select {
	case a.News <- fmt.Sprintf(format, args...):
	default:
	}
}
