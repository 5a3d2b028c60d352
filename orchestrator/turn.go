package orchestrator

import "parley"

// turn is what an agent works on: a chain of messages, and how far along it is.
type turn struct {
	chain string
	hop   int
}

// works notes what an agent works on from now on. parley's own notices are no new work.
func (m *member) works(msg *parley.Message) {
	if msg.Kind == parley.KindNotice || msg.ChainID == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = &turn{msg.ChainID, msg.Hop}
}

// currentTurn returns what an agent works on, if this daemon knows.
func (m *member) currentTurn() (at turn, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == nil {
		return turn{}, false
	}
	return *m.turn, true
}
