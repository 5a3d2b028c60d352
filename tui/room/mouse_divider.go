package room

import "parley/tui/kit"

// dividers are the lines between a list and what stands next to it or below it, which the mouse moves.
type dividers struct {
	Percent  [Places]int // of the columns that a list has; 0 for as many as it chooses
	Lines    [Places]int // percent of the lines that it has
	Dragging bool
	Moved    bool
}

// NewDividers returns the dividers for details of so many percent of the columns, and of the lines; 0 for as many
// as a screen chooses.
func NewDividers(detailWidth, detailHeight int) (d dividers) {
	for at := range Places {
		if detailWidth > 0 {
			d.Percent[at] = 100 - detailWidth
		}
		if detailHeight > 0 {
			d.Lines[at] = 100 - detailHeight
		}
	}
	return d
}

// leastPane is how many columns a pane keeps, and leastLines how many lines.
const (
	leastPane  = 24
	leastLines = 4
)

// ListHeight returns the lines of a screen's list above a pane.
func (d *dividers) ListHeight(at Place, usual, h int) int {
	if n := d.Lines[at]; n > 0 {
		return kit.Clamp((h*n+50)/100, leastLines, max(leastLines, h-leastLines))
	}
	return usual
}

// ListWidth returns the columns of a screen's list: those that it chooses, unless the operator has moved
// its divider.
func (d *dividers) ListWidth(at Place, usual, w int) int {
	if n := d.Percent[at]; n > 0 {
		return kit.Clamp(w*n/100, leastPane, max(leastPane, w-3-leastPane))
	}
	return usual
}
