package team

import (
	"sync"
	"time"

	"parley"
)

// Leftover describes what a person has left in a terminal, such as a draft or a shell, while messages wait.
type Leftover struct {
	Hold  parley.Hold // zero when nothing is left
	Draft string      // what stands in the composer, if that is a draft
	Since time.Time
}

// leftovers note what stands in a terminal.
type leftovers struct {
	mu     sync.Mutex
	left   Leftover
	unsent Leftover
}

// NoteUnsent notes why a message that stands in the terminal, pasted or entered, does not get on; nothing if there is
// none. The time of Unsent starts when this is first noted.
func (l *leftovers) NoteUnsent(hold parley.Hold, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if hold.Code == "" {
		l.unsent = Leftover{}
		return
	}
	if l.unsent.Hold = hold; l.unsent.Since.IsZero() {
		l.unsent.Since = now
	}
}

// Unsent returns why a message that stands in the terminal does not get on, zero if there is none.
func (l *leftovers) Unsent() Leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unsent
}

// NoteLeftover notes why a message has to wait now. With left, something that a person has left in
// the terminal is the reason, and the time of Leftover starts when this is first noted. Without
// left, for instance while the person types, that time starts over.
func (l *leftovers) NoteLeftover(hold parley.Hold, draft string, left bool, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !left:
		l.left = Leftover{}
	case l.left.Hold.Code == "":
		l.left.Since = now
		fallthrough
	default:
		l.left.Hold, l.left.Draft = hold, draft
	}
}

// Leftover returns what a person has left while messages wait, zero if nothing is.
func (l *leftovers) Leftover() Leftover {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left
}
