package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
)

// divided is a screen with a list and something next to it.
type divided interface {
	Parts(w, h int) (listW, listH, paneW, paneH int)
}

// divider is the line between a list and what stands next to it.
type divider struct {
	*room.Shared
	layout *kit.Layout
}

// drag moves the divider of the shown screen, and returns what else the mouse does: nil for nothing. A click on
// a divider that is not moved is a click on the title of the pane below.
func (d divider) drag(msg tea.MouseMsg) tea.MouseMsg {
	s, ok := d.Shown().(divided)
	sizes, at := &d.Dividers, msg.Mouse()
	if !ok || d.Scope() != kit.InShell || d.layout.Small() {
		sizes.Dragging = false
		return msg
	}

	y := at.Y - kit.RowsTop
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		sizes.Dragging = at.Button == tea.MouseLeft && d.under(s, at.X, y)
		sizes.Moved = false
		if !sizes.Dragging {
			return msg
		}
	case tea.MouseMotionMsg:
		if !sizes.Dragging {
			return msg
		}
		sizes.Moved = true
		if d.Tier >= kit.Wide {
			sizes.Percent[d.At] = kit.Clamp((at.X-1)*100/max(1, d.layout.Inner), 1, 99)
		} else {
			sizes.Lines[d.At] = kit.Clamp(y*100/max(1, d.layout.ScreenH), 1, 99)
		}
	case tea.MouseReleaseMsg:
		clicked := sizes.Dragging && !sizes.Moved && d.Tier < kit.Wide
		sizes.Dragging = false
		if clicked {
			return tea.MouseClickMsg(at)
		}
	default:
		return msg
	}

	return nil
}

// under reports whether it is at a place on a screen.
func (d divider) under(s divided, x, y int) bool {
	listW, listH, paneW, paneH := s.Parts(d.layout.Inner, d.layout.ScreenH)
	if d.Tier >= kit.Wide {
		return paneW > 0 && x == listW+1 && y > 0 && y < d.layout.ScreenH
	}
	return paneH > 0 && listH > 0 && y == listH
}
