package team

import "time"

// leftover is what a person has left in a terminal, such as a draft, while messages wait.
type leftover struct {
	reason string // "": nothing
	since  time.Time
}

// NoteLeftover notes what stands in the way of a message now. Who types there is not away, and
// begins it anew.
func (m *Member) NoteLeftover(reason string, left bool, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case !left:
		m.left = leftover{}
	case m.left.reason == "":
		m.left.since = now
		fallthrough
	default:
		m.left.reason = reason
	}
}

func (m *Member) Leftover() (reason string, since time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left.reason, m.left.since
}
