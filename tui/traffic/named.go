package traffic

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// Named returns the messages that are in memory, to go to, the newest first.
func Named(t *Screen) (all []room.Named) {
	for _, r := range slices.Backward(t.Live.rows) {
		about := r.From + " → " + r.To + ": " + r.Text
		all = append(all, room.Named{Kind: "message", Name: parley.Short(r.ID), About: about,
			Go: func() tea.Cmd { return tea.Batch(t.GoTo(room.AtTraffic), t.openMessage(r.ID)) }})
	}
	return all
}
