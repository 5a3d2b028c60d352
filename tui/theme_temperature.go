package tui

import "charm.land/lipgloss/v2"

func (t theme) temperature(state string) lipgloss.Style {
	switch state {
	case "hot":
		return t.bad
	case "warming", "cooling":
		return t.warn
	case "cold", "concluded":
		return t.dim
	}
	return t.good
}
