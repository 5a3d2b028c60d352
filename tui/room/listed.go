package room

import (
	tea "charm.land/bubbletea/v2"
)

// FilteredMsg tells a screen that the filter of its list has changed.
type FilteredMsg struct{}

// Named is something that one can go to by its name.
type Named struct {
	Kind  string // agent, thread, need or message
	Name  string
	About string
	Go    func() tea.Cmd
}
