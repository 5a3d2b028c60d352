package tui

import (
	"parley/tui/agents"
	"parley/tui/compose"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/review"
	"parley/tui/room"
	"parley/tui/threads"
	"parley/tui/traffic"
)

// model is the whole screen: the five screens, what lies over them, and the
// routing of keys and messages.
type model struct {
	room.Actions
	frame      frame
	clipboard  clipboard
	mouse      bool
	layout     kit.Layout
	traffic    *traffic.Screen
	agents     *agents.Screen
	threads    *threads.Screen
	needs      *needs.Screen
	health     *health.Screen
	compose    *compose.Box
	palette    *palette
	tiles      *agents.Tiles
	review     *review.Room
	form       *launchForm
	workspaces *workspaces
	clicks     clicks
	same       bool // the last message has changed nothing that is drawn
	adapts     bool // the theme is that of the terminal, whose background may be light
}
