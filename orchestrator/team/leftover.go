package team

import (
	"time"

	"parley"
)

// leftover describes what a person has left in a terminal, such as a draft or a shell, while messages wait.
type leftover struct {
	hold  parley.Hold // zero when nothing is left
	since time.Time
}

// NoteLeftover notes why a message has to wait now. With left, something that a person has left in
// the terminal is the reason, and the time of Leftover starts when this is first noted. Without
// left, for instance while the person types, that time starts over.
func (m *Member) NoteLeftover(hold parley.Hold, left bool, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !left:
		m.left = leftover{}
	case m.left.hold.Code == "":
		m.left.since = now
		fallthrough
	default:
		m.left.hold = hold
	}
}

// Leftover returns why messages wait for a person, and since when; a zero hold when they do not.
func (m *Member) Leftover() (hold parley.Hold, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left.hold, m.left.since
}
