package tui

import tea "charm.land/bubbletea/v2"

// divided is a screen with a list and something next to it.
type divided interface {
	parts(w, h int) (listW, listH, paneW, paneH int)
}

// drag moves the divider of the shown screen, and returns what else the mouse does: nil for nothing. A click on
// a divider that is not moved is a click on the title of the pane below.
func (m *model) drag(msg tea.MouseMsg) tea.MouseMsg {
	s, ok := m.shown().(divided)
	d, at := &m.dividers, msg.Mouse()
	if !ok || m.scope() != inShell || m.layout.small() {
		d.dragging = false
		return msg
	}

	y := at.Y - rowsTop
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		d.dragging = at.Button == tea.MouseLeft && onDivider(m, s, at.X, y)
		d.moved = false
		if !d.dragging {
			return msg
		}
	case tea.MouseMotionMsg:
		if !d.dragging {
			return msg
		}
		d.moved = true
		if m.tier >= wide {
			d.percent[m.at] = clamp((at.X-1)*100/max(1, m.layout.inner), 1, 99)
		} else {
			d.lines[m.at] = clamp(y*100/max(1, m.layout.screenH), 1, 99)
		}
	case tea.MouseReleaseMsg:
		clicked := d.dragging && !d.moved && m.tier < wide
		d.dragging = false
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
	listW, listH, paneW, paneH := s.parts(m.layout.inner, m.layout.screenH)
	if m.tier >= wide {
		return paneW > 0 && x == listW+1 && y > 0 && y < m.layout.screenH
	}
	return paneH > 0 && listH > 0 && y == listH
}
