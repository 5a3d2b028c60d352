package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const pastEvents = 1000 // that are read once for the curves: as many as the daemon gives

// pastMsg is the newest events of the past.
type pastMsg struct{ events []parley.Event }

// askPast reads the newest events of the past once: the stream begins with fewer than an hour may have.
func (d *shared) askPast() tea.Cmd {
	if d.ledger.asked || !d.link.events || d.link.lost != nil {
		return nil
	}

	d.ledger.asked = true

	return d.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.ReadEvents(ctx, parley.ReadEventsRequest{Last: pastEvents, Limit: pastEvents})
		if err != nil {
			return pastMsg{}
		}
		return pastMsg{res.Events}
	})
}
