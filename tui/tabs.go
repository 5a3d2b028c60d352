package tui

import (
	"fmt"
	"parley/tui/kit"
	"parley/tui/room"
	"strings"
)

// tabs returns the bar, and the column before which each of its names ends.
func (m *model) tabs(w int) (line string, ends []int) {
	var tabs []string
	used := 0
	for i, s := range m.Screens {
		text := fmt.Sprintf(" %d %s", i+1, s.Title())
		b := s.Badge()
		if b.Count > 0 {
			text += fmt.Sprintf(" %d", min(b.Count, 999))
		}

		used += kit.Width(text)
		switch {
		case room.Place(i) == m.At:
			text = m.Theme.Focus.Render("▸" + text[1:])
		case b.Grave && b.Count > 0:
			text = m.Theme.Bad.Render(text)
		default:
			text = m.Theme.Dim.Render(text)
		}

		tabs = append(tabs, text)
	}

	gap := strings.Repeat(" ", kit.Clamp((w-used)/(len(tabs)-1), 0, 2))

	end := 0
	for _, tab := range tabs {
		end += kit.Width(tab) + len(gap)
		ends = append(ends, end)
	}

	return kit.Fit(strings.Join(tabs, gap), w), ends
}
