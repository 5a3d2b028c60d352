package traffic

import (
	"parley"
	"parley/plain"
	"parley/tui/kit"
)

// learn takes the deliveries of a message as the daemon reported them.
func (t *records) learn(id string, deliveries []parley.Delivery) {
	t.Live.learn(id, deliveries)
	t.hits.learn(id, deliveries)
}

// lengthen gives the row of a message that was read the text that its line has room for.
func (t *records) lengthen(m *parley.Message) {
	if m == nil {
		return
	}
	if r := t.Live.ByID[m.ID]; r != nil && r.Cut {
		r.Cut, r.Text = false, kit.SafeLine(plain.Truncate(plain.CleanLine(m.Text), longestLine))
	}
}
