package team

import (
	"time"

	"parley"
)

// Leftover describes what a person has left in a terminal, such as a draft or a shell, while messages wait.
type Leftover struct {
	Hold  parley.Hold // zero when nothing is left
	Draft string      // what stands in the composer, if that is a draft
	Since time.Time
}

// NoteLeftover notes why a message has to wait now. With left, something that a person has left in
// the terminal is the reason, and the time of Leftover starts when this is first noted. Without
// left, for instance while the person types, that time starts over.
func (m *Member) NoteLeftover(hold parley.Hold, draft string, left bool, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !left:
		m.left = Leftover{}
	case m.left.Hold.Code == "":
		m.left.Since = now
		fallthrough
	default:
		m.left.Hold, m.left.Draft = hold, draft
	}
}

// Leftover returns what a person has left while messages wait, zero if nothing is.
func (m *Member) Leftover() Leftover {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}
