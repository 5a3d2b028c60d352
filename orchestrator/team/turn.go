package team

import "parley"

// turn identifies the work of an agent: the chain of messages that led to it, and the length of the
// chain in hops.
type turn struct {
	Chain string
	Hop   int
}

// StartTurn notes that an agent starts to work on a message. It ignores parley's own notices, which
// are no new work, and messages without a chain.
func (m *Member) StartTurn(msg *parley.Message) {
	if msg.Kind == parley.KindNotice || msg.ChainID == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = &turn{msg.ChainID, msg.Hop}
}

// Turn returns the chain that an agent works on and its hop, if this daemon knows them.
func (m *Member) Turn() (at turn, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turn == nil {
		return turn{}, false
	}
	return *m.turn, true
}
