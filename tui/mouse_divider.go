package tui

import tea "charm.land/bubbletea/v2"

// dividers are the lines between a list and what stands next to it, which the mouse moves.
type dividers struct {
	percent  [places]int // of the columns that a list has; 0 for as many as it chooses
	dragging bool
}

// leastPane is how many columns a pane keeps.
const leastPane = 24

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

// drag moves the divider of the shown screen, and reports whether the mouse is doing that.
func (m *model) drag(msg tea.MouseMsg) bool {
	s, ok := m.shown().(divided)
	d, at := &m.dividers, msg.Mouse()
	if !ok || m.scope() != inShell || m.tier < wide {
		d.dragging = false
		return false
	}

	switch msg.(type) {
	case tea.MouseClickMsg:
		listW, _, paneW, _ := s.parts(m.layout.inner, m.layout.screenH)
		y := at.Y - rowsTop
		d.dragging = paneW > 0 && at.Button == tea.MouseLeft && at.X == listW+1 && y > 0 && y < m.layout.screenH
	case tea.MouseMotionMsg:
		if d.dragging {
			d.percent[m.at] = clamp((at.X-1)*100/max(1, m.layout.inner), 1, 99)
		}
	case tea.MouseReleaseMsg:
		was := d.dragging
		d.dragging = false
		return was
	}

	return d.dragging
}

// sortAt orders the list by the heading at a column.
func (a *agents) sortAt(x, w int) {
	by := map[string]order{"agent": byName, "state": byTrouble, "for": byTime, "last hour": byMessages, "today": byTokens}
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
				head = agentColumns[i].head
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
