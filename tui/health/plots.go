package health

import (
	"strings"

	"parley/tui/kit"
	"parley/tui/room"
)

// plots draw figures with their curves.
type plots struct {
	*room.Shared
	Still bool // no curves
}

const figureColumn = 12

// figure draws a name, its value, and its curve if there is room.
func (p plots) figure(name, words string, curve []int, w int) string {
	line := "  " + p.Theme.Dim.Render(kit.Pad(name, figureColumn)) + kit.Fit(words, w-figureColumn-2)
	if p.Still || len(curve) == 0 || w < 40 {
		return line
	}
	line = kit.Pad(line, max(kit.Width(line), min(w*55/100, figureColumn+38)))
	room := w - kit.Width(line) - 1
	if room < 8 {
		return line
	}
	curve = curve[max(0, len(curve)-room):]
	gap := strings.Repeat(" ", 1+room-len(curve)) // the newest stands at the right
	return line + gap + p.Theme.Busy.Render(kit.Sparks(curve))
}
