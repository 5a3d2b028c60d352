package room

import (
	"time"

	"parley"
)

// SettledMsg tells the shown screen that everything else is up to date: what it
// shows may need more from the daemon.
type SettledMsg struct{}

// ShownMsg tells a screen that it is shown from now on.
type ShownMsg struct{}

// CopiedMsg is the texts of messages for the clipboard.
type CopiedMsg struct {
	Text, What string
	Err        error
}

// BufferedMsg is what came of filling tmux's buffer.
type BufferedMsg struct{ Err error }

// FeedMsg is what the stream reported within one frame.
type FeedMsg struct {
	Events []parley.Event
	Err    error // the daemon is away, by the stream's last report
	At     time.Time
}

// TextMsg is a text that was read to be opened in another program.
type TextMsg struct {
	Name string // of what it is, for people
	Text string
	Err  error
}

// OpenedMsg says that the other program has ended.
type OpenedMsg struct {
	Name string
	Err  error
}

// ExportedMsg is what came of an export.
type ExportedMsg struct {
	Path string
	N    int
	Err  error
}

// Exported says which messages are exported: those with some ids, the oldest first, else those that a request
// finds, else all.
type Exported struct {
	IDs  []string
	Find *parley.FindMessagesRequest
}
