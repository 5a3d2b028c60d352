package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// palette lists everything that can be done: the keys of the screen, and every
// operation with its arguments.
type palette struct {
	acts    *room.Actions
	room    *room.Shared
	keymap  *kit.Keymap
	names   func() []room.Named // all that one can go to by its name
	allRead func() bool         // reports whether all of these were read
	goes    bool                // only names are listed
	known   int                 // how much could be gone to when the names were listed
	open    bool
	line    kit.Line
	found   []choice
	sel     int
	top     int // the first row, or line of the arguments, in view
	height  int
	op      *op.Op // whose arguments are being written; nil while one chooses
	busy    bool
	err     error
}

// choice is something that can be done.
type choice struct {
	name  string
	about string
	key   string // does it as well; the kind of what one goes to; "" for an operation
	run   func() tea.Cmd
	op    *op.Op
}
