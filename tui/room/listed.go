package room

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

// Listed is embedded by a screen whose list can be narrowed.
type Listed struct{ Filter kit.Filter }

// ListFilter returns the filter of the screen's list.
func (l *Listed) ListFilter() *kit.Filter { return &l.Filter }

// FilteredMsg tells a screen that the filter of its list has changed.
type FilteredMsg struct{}

// Named is something that one can go to by its name.
type Named struct {
	Kind  string // agent, thread, need or message
	Name  string
	About string
	Go    func() tea.Cmd
}
