package agents

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

// Point marks a tile. A click on the marked one zooms in, as enter does; the wheel goes from
// one to the next.
func (t *Tiles) Point(p kit.Pointer) tea.Cmd {
	switch {
	case p.Wheel > 0:
		t.step(1)
	case p.Wheel < 0:
		t.step(-1)
	case t.zoom || p.Y < 0 || p.Y >= p.H || p.X >= p.W:
	default:
		return t.click(p.X/(t.grid.tileWidth(p.W)+kit.Width(tileGap)), p.Y/max(1, t.grid.h))
	}
	return nil
}

func (t *Tiles) click(col, row int) tea.Cmd {
	in := t.inView()
	i := row*t.grid.cols + col
	if col >= t.grid.cols || i >= len(in) {
		return nil
	}
	if in[i] == t.sel {
		return t.enter()
	}
	t.sel = in[i]
	return nil
}
