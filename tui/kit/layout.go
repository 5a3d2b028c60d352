package kit

const (
	MinWidth, MinHeight = 60, 20 // below, the screen asks for room instead of breaking
	slack               = 6      // columns by which a window must shrink before a tier is left again
)

// Tier is how much room there is, in columns.
type Tier int

const (
	Narrow Tier = iota // one column
	Medium             // words beside the glyphs
	Wide               // details beside the list
	Broad              // and more of them
)

// tierFrom are the columns at which the tiers begin.
var tierFrom = []int{Narrow: 0, Medium: 96, Wide: 132, Broad: 180}

// At returns the tier of a width, given the current one: dragging a window's
// edge across a border changes the screen once.
func (t Tier) At(width int) Tier {
	up := t
	for up < Broad && width >= tierFrom[up+1] {
		up++
	}
	for up > Narrow && width < tierFrom[up]-slack {
		up--
	}
	return up
}

// Layout is how large things are.
type Layout struct {
	Width, Height int
	Inner         int // columns used
	StatusH       int
	BodyH         int // between bar and status
	BottomH       int // lines of the writing box without its title; 0 while it is closed
	ScreenH       int // what is left for the screen
}

// Small reports whether the window has no room for a screen.
func (l *Layout) Small() bool { return l.Width < MinWidth || l.Height < MinHeight }
