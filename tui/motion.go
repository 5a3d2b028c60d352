package tui

// motion is a movement of the marker.
type motion int

const (
	lineUp motion = iota
	lineDown
	pageUp
	pageDown
	toTop
	toBottom
)

// all is more lines than any list has.
const all = 1 << 30

// lines returns how far a motion goes in a list that shows height lines.
func (by motion) lines(height int) int {
	page := max(1, height-1)
	switch by {
	case lineUp:
		return -1
	case lineDown:
		return 1
	case pageUp:
		return -page
	case pageDown:
		return page
	case toTop:
		return -all
	}

	return all
}
