package store

import (
	"fmt"
	"sync/atomic"

	"parley"
)

// safety says whether the database accepts more, and tells the operator what happened to it.
type safety struct {
	lost  atomic.Pointer[parley.Error] // why nothing is accepted any more; read by all
	news  chan string                  // what happened, in words
	saved chan struct{}                // closed when all is saved that the removed files held
}

func newSafety() *safety {
	return &safety{news: make(chan string, 4), saved: make(chan struct{})}
}

// Incidents tells what happened to the database's files while they were open, in words for
// the operator. The channel is never closed.
func (s *Store) Incidents() <-chan string { return s.safety.news }

// Vanished is closed when the database's files were removed or replaced while they were open, and what
// they held is saved. The next Open goes on with that.
func (s *Store) Vanished() <-chan struct{} { return s.safety.saved }

// Refusal returns why the store accepts nothing more, nil while all is well.
func (s *Workspace) Refusal() error { return s.safety.refusal() }

// refusal is why nothing is accepted any more, nil while all is well.
func (a *safety) refusal() error {
	if lost := a.lost.Load(); lost != nil {
		return lost
	}
	return nil
}

// tell queues words for the operator. Those that nobody has read are not pushed out.
func (a *safety) tell(format string, args ...any) {
	select {
	case a.news <- fmt.Sprintf(format, args...):
	default:
	}
}
