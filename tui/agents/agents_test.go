package agents

import (
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

func TestAUsageLimitShowsItsEnd(t *testing.T) {
	ends := time.Date(2030, 1, 2, 15, 4, 0, 0, time.Local)
	c := cells{room: &room.Shared{}}
	got, _ := c.now(&parley.AgentStatus{LimitedUntil: &ends, WaitsFor: "it has been at its usage limit for 3 min"})
	if got != "usage limit until 2 Jan 15:04" {
		t.Errorf("got %q", got)
	}
}
func TestGridFillsTheWindow(t *testing.T) {
	for _, c := range []struct{ n, side, w, h, cols, rows int }{
		{1, 4, 178, 46, 1, 1},
		{2, 2, 78, 20, 1, 2},
		{4, 2, 78, 20, 2, 2},
		{30, 2, 78, 20, 2, 2},
		{5, 3, 118, 32, 2, 3},
		{9, 3, 118, 32, 3, 3},
		{16, 4, 178, 46, 4, 4},
		{40, 4, 178, 46, 4, 4},
		{40, 4, 58, 16, 2, 2},
		{3, 4, 20, 4, 1, 1},
		{0, 4, 80, 20, 2, 3},
	} {
		g := newGrid(c.n, c.side, c.w, c.h)
		if g.cols != c.cols || g.rows != c.rows {
			t.Errorf("%d tiles in %dx%d: %d columns and %d rows, want %d and %d", c.n, c.w, c.h, g.cols, g.rows, c.cols,
				c.rows)
		}
		if g.cols*g.w > c.w || g.rows*g.h > c.h {
			t.Errorf("%d tiles in %dx%d: %+v is larger", c.n, c.w, c.h, g)
		}
	}
}
