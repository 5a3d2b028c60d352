package health

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

func (h *Screen) Point(p kit.Pointer) tea.Cmd {
	h.Top += p.Wheel
	return nil
}
