package tui

import tea "charm.land/bubbletea/v2"

// point marks a tile. A click on the marked one zooms in, as enter does; the wheel goes from
// one to the next.
func (t *tiles) point(p pointer) tea.Cmd {
	switch {
	case p.wheel > 0:
		t.step(1)
	case p.wheel < 0:
		t.step(-1)
	case t.zoom || p.y < 0 || p.y >= p.h || p.x >= p.w:
	default:
		return t.click(p.x/(t.grid.tileWidth(p.w)+width(tileGap)), p.y/max(1, t.grid.h))
	}
	return nil
}

func (t *tiles) click(col, row int) tea.Cmd {
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
