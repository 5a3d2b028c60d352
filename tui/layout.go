package tui

const (
	minWidth, minHeight = 60, 20 // below, the screen asks for room instead of breaking
	slack               = 6      // columns by which a window must shrink before a tier is left again
)

// tier is how much room there is, in columns.
type tier int

const (
	narrow tier = iota // one column
	medium             // words beside the glyphs
	wide               // details beside the list
	broad              // and more of them
)

// tierFrom are the columns at which the tiers begin.
var tierFrom = []int{narrow: 0, medium: 96, wide: 132, broad: 180}

// at returns the tier of a width, given the current one: dragging a window's
// edge across a border changes the screen once.
func (t tier) at(width int) tier {
	up := t
	for up < broad && width >= tierFrom[up+1] {
		up++
	}
	for up > narrow && width < tierFrom[up]-slack {
		up--
	}
	return up
}

// layout is how large things are.
type layout struct {
	width, height int
	inner         int // columns used
	statusH       int
	bodyH         int // between bar and status
	bottomH       int // lines of the writing box without its title; 0 while it is closed
	screenH       int // what is left for the screen
}

func (l *layout) small() bool { return l.width < minWidth || l.height < minHeight }
