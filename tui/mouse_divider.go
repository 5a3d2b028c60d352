package tui

import tea "charm.land/bubbletea/v2"

// dividers are the lines between a list and what stands next to it or below it, which the mouse moves.
type dividers struct {
	percent  [places]int // of the columns that a list has; 0 for as many as it chooses
	lines    [places]int // percent of the lines that it has
	dragging bool
	moved    bool
}

// newDividers returns the dividers as the settings want them.
func newDividers(l Look) (d dividers) {
	for at := range places {
		if l.DetailWidth > 0 {
			d.percent[at] = 100 - l.DetailWidth
		}
		if l.DetailHeight > 0 {
			d.lines[at] = 100 - l.DetailHeight
		}
	}
	return d
}

// leastPane is how many columns a pane keeps, and leastLines how many lines.
const (
	leastPane  = 24
	leastLines = 4
)

// listHeight returns the lines of a screen's list above a pane.
func (d *dividers) listHeight(at place, usual, h int) int {
	if n := d.lines[at]; n > 0 {
		return clamp((h*n+50)/100, leastLines, max(leastLines, h-leastLines))
	}
	return usual
}

// listWidth returns the columns of a screen's list: those that it chooses, unless the operator has moved
// its divider.
func (d *dividers) listWidth(at place, usual, w int) int {
	if n := d.percent[at]; n > 0 {
		return clamp(w*n/100, leastPane, max(leastPane, w-3-leastPane))
	}
	return usual
}

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

// sortAt orders the list by the heading at a column.
func (a *agents) sortAt(x, w int) {
	by := map[string]order{"agent": byName, "state": byTrouble, "for": byTime, "last hour": byMessages,
		"today": byTokens}
	t := a.table.shrunk(w)
	head, end := "", 4+t.name+1
	switch {
	case x < end:
		head = "agent"
	case x < end+11:
		head = "state"
	}

	end += 11
	for i, n := range t.widths {
		if n > 0 {
			if x >= end && x <= end+n {
				head = t.columns[i].head
			}
			end += n + 1
		}
	}

	if o, ok := by[head]; ok {
		a.order = o
		a.sort()
		a.tell("Ordered " + orderNames[o] + ".")
	}
}
