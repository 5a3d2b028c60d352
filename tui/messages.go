package tui

import (
	"time"

	"parley"
)

// settledMsg tells the shown screen that everything else is up to date: what it
// shows may need more from the daemon.
type settledMsg struct{}

// shownMsg tells a screen that it is shown from now on.
type shownMsg struct{}

// copiedMsg is the texts of messages for the clipboard.
type copiedMsg struct {
	text, what string
	err        error
}

// bufferedMsg is what came of filling tmux's buffer.
type bufferedMsg struct{ err error }

// feedMsg is what the stream reported within one frame.
type feedMsg struct {
	events []parley.Event
	err    error // the daemon is away, by the stream's last report
	at     time.Time
}

// textMsg is a text that was read to be opened in another program.
type textMsg struct {
	name string // of what it is, for people
	text string
	err  error
}

// openedMsg says that the other program has ended.
type openedMsg struct {
	name string
	err  error
}

// exportedMsg is what came of an export.
type exportedMsg struct {
	path string
	n    int
	err  error
}

// Exported says which messages are exported: those with some ids, the oldest first, else those that a request
// finds, else all.
type Exported struct {
	IDs  []string
	Find *parley.FindMessagesRequest
}
