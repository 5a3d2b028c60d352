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
