package kit

// Motion is a movement of the marker.
type Motion int

const (
	LineUp Motion = iota
	LineDown
	PageUp
	PageDown
	ToTop
	ToBottom
)

// All is more lines than any list has.
const All = 1 << 30

// Lines returns how far a motion goes in a list that shows height lines.
func (by Motion) Lines(height int) int {
	page := max(1, height-1)
	switch by {
	case LineUp:
		return -1
	case LineDown:
		return 1
	case PageUp:
		return -page
	case PageDown:
		return page
	case ToTop:
		return -All
	}

	return All
}
