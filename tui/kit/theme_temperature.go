package kit

import "charm.land/lipgloss/v2"

// Temperature returns the style of a state of a conversation.
func (t Theme) Temperature(state string) lipgloss.Style {
	switch state {
	case "hot":
		return t.Bad
	case "warming", "cooling":
		return t.Busy
	case "cold", "concluded":
		return t.Dim
	}
	return t.Good
}
