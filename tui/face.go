package tui

import (
	"parley/tui/agents"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/traffic"
)

// What the settings and the program around the screen name. The rooms declare it.
type (
	Exported   = room.Exported
	Finding    = health.Finding
	Notify     = room.Notify
	QuietHours = room.QuietHours
)

// Themes are the values of Style.Theme.
var Themes = kit.Themes

// CheckFilters reports what is wrong with the filters of the settings.
func CheckFilters(filters map[string]string) error { return traffic.CheckFilters(filters) }

// SafeScreen returns the lines of a terminal in at most w columns, with nothing in them but text and colours.
func SafeScreen(lines []string, w int) []string { return agents.SafeScreen(lines, w) }
