package tui

import tea "charm.land/bubbletea/v2"

// wheelLines is how many lines one notch of the wheel goes.
const wheelLines = 3

// pointer is a click or a turn of the wheel, at a line and column of a screen of
// h lines and w columns.
type pointer struct {
	x, y, w, h int
	wheel      int  // lines down; 0 for a click
	twice      bool // it is the second click in a row
}

// rowsTop are the lines above a screen: the header and the bar.
const rowsTop = 2

// times moves a marker some lines up or down.
func times(n int, move func(motion) tea.Cmd) tea.Cmd {
	by := lineDown
	if n < 0 {
		by, n = lineUp, -n
	}
	var cmds []tea.Cmd
	for range n {
		cmds = append(cmds, move(by))
	}
	return tea.Batch(cmds...)
}

// second reports whether the pointer is in the second of two panes. The first has
// so many columns, or, if they are below each other, lines.
func (p pointer) second(t tier, firstW, firstH int) bool {
	if t >= wide {
		return p.x > firstW
	}
	return p.y >= firstH
}
