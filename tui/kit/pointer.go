package kit

import tea "charm.land/bubbletea/v2"

// WheelLines is how many lines one notch of the wheel goes.
const WheelLines = 3

// Pointer is a click or a turn of the wheel, at a line and column of a screen of
// h lines and w columns.
type Pointer struct {
	X, Y, W, H int
	Wheel      int  // lines down; 0 for a click
	Twice      bool // it is the second click in a row
}

// RowsTop are the lines above a screen: the header and the bar.
const RowsTop = 2

// Times moves a marker some lines up or down.
func Times(n int, move func(Motion) tea.Cmd) tea.Cmd {
	by := LineDown
	if n < 0 {
		by, n = LineUp, -n
	}
	var cmds []tea.Cmd
	for range n {
		cmds = append(cmds, move(by))
	}
	return tea.Batch(cmds...)
}

// Second reports whether the pointer is in the second of two panes. The first has
// so many columns, or, if they are below each other, lines.
func (p Pointer) Second(t Tier, firstW, firstH int) bool {
	if t >= Wide {
		return p.X > firstW
	}
	return p.Y >= firstH
}
