package room

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
)

const pastEvents = 1000 // that are read once for the curves: as many as the daemon gives

// PastMsg is the newest events of the past.
type PastMsg struct{ Events []parley.Event }

// AskPast reads the newest events of the past once: the stream begins with fewer than an hour may have.
func (d *Shared) AskPast() tea.Cmd {
	if d.Ledger.Asked || !d.Link.Events || d.Link.Lost != nil {
		return nil
	}

	d.Ledger.Asked = true

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{Last: pastEvents, Limit: pastEvents})
		if err != nil {
			return PastMsg{}
		}
		return PastMsg{res.Events}
	})
}
