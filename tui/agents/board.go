package agents

import (
	"slices"
	"time"

	"parley"
	"parley/tui/kit"
)

// board is how tiles lie: the agents in their order, the page of them that is in view, and the marker on one of them.
type board struct {
	order []string // ids; it does not change by itself: a key must meet the tile that was seen
	sel   string   // the id under the marker
	zoom  bool     // only the one under the marker is shown
	side  int      // how many there are in a row or a column at most; 0 for what the window suggests
	grid  grid
	width int       // columns of all of them
	moved time.Time // when the marker last went to another tile by itself
}

func (b *board) index() int { return max(0, slices.Index(b.order, b.sel)) }

// first returns the place of the first tile in view, unless one is shown alone.
func (b *board) first() int {
	size := max(1, b.grid.size())
	return b.index() / size * size
}

// page returns the ids of the tiles in view.
func (b *board) page() []string {
	switch {
	case len(b.order) == 0:
		return nil
	case b.zoom:
		return []string{b.sel}
	}
	from := b.first()
	return b.order[from:min(from+max(1, b.grid.size()), len(b.order))]
}

// step moves the marker, around the ends.
func (b *board) step(n int) {
	if all := len(b.order); all > 0 {
		b.sel = b.order[((b.index()+n)%all+all)%all]
	}
}

// stepRow goes a row down or up; where there is one row, or one tile, to the next.
func (b *board) stepRow(n int) {
	if !b.zoom {
		n *= max(1, b.grid.cols)
	}
	b.step(n)
}

// turn goes some pages on, and reports whether there is more than one.
func (b *board) turn(n int) bool {
	size := b.grid.size()
	if b.zoom || len(b.order) <= size {
		return false
	}
	b.sel = b.order[kit.Clamp(b.index()/size+n, 0, (len(b.order)-1)/size)*size]
	return true
}

// keep drops the agents that are not among all any longer, and adds new ones at the end.
func (b *board) keep(all []string, now time.Time) {
	b.order = slices.DeleteFunc(b.order, func(id string) bool { return !slices.Contains(all, id) })
	for _, id := range all {
		if !slices.Contains(b.order, id) {
			b.order = append(b.order, id)
		}
	}
	if len(b.order) > 0 && !slices.Contains(b.order, b.sel) {
		b.sel, b.zoom, b.moved = b.order[0], false, now
	}
}

// mostIn returns how many tiles there are in a row or a column at most.
func (b *board) mostIn(t kit.Tier) int {
	if b.side > 0 {
		return b.side
	}
	return []int{kit.Narrow: 2, kit.Medium: 3, kit.Wide: 3, kit.Broad: 4}[t]
}

// fits reports whether all of a question is drawn in its tile.
func (b *board) fits(th kit.Theme, d *parley.Dialog) bool {
	return len(questionLines(th, d, b.grid.tileWidth(b.width))) < b.grid.h
}

// grid is how the tiles of a page are laid out.
type grid struct{ cols, rows, w, h int }

func (g grid) size() int { return g.cols * g.rows }

const (
	leastTileW, leastTileH = 28, 6 // below, a tile shows nothing of use
	mostTiles              = 4     // in a row or a column
	tileRatio              = 4     // of a terminal's columns to its lines
)

// newGrid lays out n tiles, at most side in a row or a column, in w columns and h lines. Of
// the grids that have room for all, or the most, it takes that whose tiles are shaped most
// like a terminal.
func newGrid(n, side, w, h int) grid {
	cols, rows := kit.Clamp(w/leastTileW, 1, side), kit.Clamp(h/leastTileH, 1, side)
	best, worst := grid{cols: cols, rows: rows}, 0
	for c := 1; c <= cols; c++ {
		r := (n + c - 1) / c
		if r > rows || r == 0 {
			continue
		}

		// The ratio of the two sides, the larger by the smaller one.
		tileW, tileH := max(1, w/c), max(1, h/r*tileRatio)
		shape := max(tileW, tileH) * 100 / min(tileW, tileH)
		if worst == 0 || shape < worst {
			best, worst = grid{cols: c, rows: r}, shape
		}
	}

	best.w, best.h = w/best.cols, h/best.rows

	return best
}

// tileWidth returns the columns of a tile on a screen of w columns.
func (g grid) tileWidth(w int) int {
	cols := max(1, g.cols)
	return max(1, (w-(cols-1)*kit.Width(tileGap))/cols)
}
