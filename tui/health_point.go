package tui

import tea "charm.land/bubbletea/v2"

func (h *health) point(p pointer) tea.Cmd {
	h.top += p.wheel
	return nil
}
