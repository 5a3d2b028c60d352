package agents

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/room"
)

// Screen is the screen of the team, those in trouble first, with the terminal of
// the one under the marker.
type Screen struct {
	room.Actions
	room.Listed
	agentList
	Want    string // the id of one that was launched: the marker goes to it
	cells   cells
	table   agentTable
	preview preview
	Zoom    func(id string) tea.Cmd // shows a terminal alone
}
