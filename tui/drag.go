package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

// divided is a screen with a list and something next to it.
type divided interface {
	Parts(w, h int) (listW, listH, paneW, paneH int)
}

// drag moves the divider of the shown screen, and returns what else the mouse does: nil for nothing. A click on
// a divider that is not moved is a click on the title of the pane below.
func (m *model) drag(msg tea.MouseMsg) tea.MouseMsg {
	s, ok := m.Shown().(divided)
	d, at := &m.Dividers, msg.Mouse()
	if !ok || m.scope() != kit.InShell || m.layout.Small() {
		d.Dragging = false
		return msg
	}

	y := at.Y - kit.RowsTop
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		d.Dragging = at.Button == tea.MouseLeft && onDivider(m, s, at.X, y)
		d.Moved = false
		if !d.Dragging {
			return msg
		}
	case tea.MouseMotionMsg:
		if !d.Dragging {
			return msg
		}
		d.Moved = true
		if m.Tier >= kit.Wide {
			d.Percent[m.At] = kit.Clamp((at.X-1)*100/max(1, m.layout.Inner), 1, 99)
		} else {
			d.Lines[m.At] = kit.Clamp(y*100/max(1, m.layout.ScreenH), 1, 99)
		}
	case tea.MouseReleaseMsg:
		clicked := d.Dragging && !d.Moved && m.Tier < kit.Wide
		d.Dragging = false
		if clicked {
			return tea.MouseClickMsg(at)
		}
	default:
		return msg
	}

	return nil
}

// onDivider reports whether a place on a screen is on its divider.
func onDivider(m *model, s divided, x, y int) bool {
	listW, listH, paneW, paneH := s.Parts(m.layout.Inner, m.layout.ScreenH)
	if m.Tier >= kit.Wide {
		return paneW > 0 && x == listW+1 && y > 0 && y < m.layout.ScreenH
	}
	return paneH > 0 && listH > 0 && y == listH
}
