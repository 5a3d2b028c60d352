package tui

// dividers are the lines between a list and what stands next to it or below it, which the mouse moves.
type dividers struct {
	percent  [places]int // of the columns that a list has; 0 for as many as it chooses
	lines    [places]int // percent of the lines that it has
	dragging bool
	moved    bool
}

// newDividers returns the dividers for details of so many percent of the columns, and of the lines; 0 for as many
// as a screen chooses.
func newDividers(detailWidth, detailHeight int) (d dividers) {
	for at := range places {
		if detailWidth > 0 {
			d.percent[at] = 100 - detailWidth
		}
		if detailHeight > 0 {
			d.lines[at] = 100 - detailHeight
		}
	}
	return d
}

// leastPane is how many columns a pane keeps, and leastLines how many lines.
const (
	leastPane  = 24
	leastLines = 4
)

// listHeight returns the lines of a screen's list above a pane.
func (d *dividers) listHeight(at place, usual, h int) int {
	if n := d.lines[at]; n > 0 {
		return clamp((h*n+50)/100, leastLines, max(leastLines, h-leastLines))
	}
	return usual
}

// listWidth returns the columns of a screen's list: those that it chooses, unless the operator has moved
// its divider.
func (d *dividers) listWidth(at place, usual, w int) int {
	if n := d.percent[at]; n > 0 {
		return clamp(w*n/100, leastPane, max(leastPane, w-3-leastPane))
	}
	return usual
}
