package team

import "parley"

// turn is what an agent works on: a chain of messages, and how far along it is.
type turn struct {
	Chain string
	Hop   int
}

// StartTurn notes what an agent works on from now on. parley's own notices are no new work.
func (m *Member) StartTurn(msg *parley.Message) {
	if msg.Kind == parley.KindNotice || msg.ChainID == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = &turn{msg.ChainID, msg.Hop}
}

// Turn returns what an agent works on, if this daemon knows.
func (m *Member) Turn() (at turn, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == nil {
		return turn{}, false
	}
	return *m.turn, true
}
