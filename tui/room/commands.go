package room

import (
	"context"
	"net/url"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
)

// Request asks the service for something, outside Update, and returns the
// answer as a message.
type Request = func(context.Context, parley.Service) tea.Msg

// Commands do the I/O of the screen. None of them touches the model.
type Commands struct {
	Now        func() time.Time
	Next       tea.Cmd                              // waits for events of the stream
	Tick       tea.Cmd                              // tells the time after a heartbeat
	Call       func(Request) tea.Cmd                // calls the service
	Later      func(time.Duration, Request) tea.Cmd // calls it after a wait
	Programs   tea.Cmd                              // looks for programs to launch; nil if nobody can
	Workspaces tea.Cmd                              // looks at all workspaces; nil if nobody can
	Attach     func(name string) tea.Cmd            // finds the command that shows a terminal
	Show       func(name string, cmd *exec.Cmd) tea.Cmd
	Edit       func(Draft) tea.Cmd   // opens the person's editor
	Open       func(TextMsg) tea.Cmd // opens the person's editor or pager
	Export     func(what Exported, path string) tea.Cmd
	Buffer     func(text string) tea.Cmd // fills the buffer of the tmux around; nil if there is none
	Operate    func(name string, args url.Values, call *op.Invocation) tea.Cmd
}

// What attaching to a terminal reports.
type (
	AttachMsg struct {
		Name string
		Cmd  *exec.Cmd
		Err  error
	}
	BesideMsg struct {
		Name string
		Err  error
	}
	ReturnedMsg struct {
		Name string
		Err  error
	}
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
