package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/agents"
	"parley/tui/compose"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/review"
	"parley/tui/room"
	"parley/tui/threads"
	"parley/tui/traffic"
	"parley/tui/verb"
)

// model is the whole screen: the five screens, what lies over them, and the
// routing of keys and messages.
type model struct {
	room       *room.Shared
	acts       *room.Actions
	frame      frame
	clipboard  clipboard
	finding    finding
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
	pointer    pointer
	same       bool // the last message has changed nothing that is drawn
	adapts     bool // the theme is that of the terminal, whose background may be light
}

// shell is what the screens may ask of the whole.
type shell struct{ m *model }

// Do does what a screen has a key for and the shell can do.
func (s shell) Do(v verb.Verb) tea.Cmd {
	return s.m.room.Keys.Bound.Of(kit.InShell, v.Row().Name).Run()
}

// PaletteOpen reports whether the palette lies over the screen.
func (s shell) PaletteOpen() bool { return s.m.palette.open }

// Send opens the box with a draft, which is kept until it is sent.
func (s shell) Send(d room.Draft) tea.Cmd {
	s.m.room.Drafts.Keep(d)
	return s.m.compose.Write(d.To, d.Label, "")
}

// Resume opens the box with an unsent draft.
func (s shell) Resume(d room.Draft) tea.Cmd { return s.m.compose.Write(d.To, d.Label, "") }

// OpenThread shows a thread.
func (s shell) OpenThread(id string) tea.Cmd { return s.m.threads.OpenThread(id) }
