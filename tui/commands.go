package tui

import (
	"context"
	"net/url"
	"os/exec"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// request asks the service for something, outside Update, and returns the
// answer as a message.
type request = func(context.Context, parley.Service) tea.Msg

// commands do the I/O of the screen. None of them touches the model.
type commands struct {
	now        func() time.Time
	next       tea.Cmd                              // waits for events of the stream
	tick       tea.Cmd                              // tells the time after a heartbeat
	call       func(request) tea.Cmd                // calls the service
	later      func(time.Duration, request) tea.Cmd // calls it after a wait
	programs   tea.Cmd                              // looks for programs to launch; nil if nobody can
	workspaces tea.Cmd                              // looks at all workspaces; nil if nobody can
	attach     func(name string) tea.Cmd            // finds the command that shows a terminal
	show       func(name string, cmd *exec.Cmd) tea.Cmd
	edit       func(draft) tea.Cmd   // opens the person's editor
	open       func(textMsg) tea.Cmd // opens the person's editor or pager
	export     func(what Exported, path string) tea.Cmd
	buffer     func(text string) tea.Cmd // fills the buffer of the tmux around; nil if there is none
	operate    func(name string, args url.Values, call *parley.Invocation) tea.Cmd
}

// What attaching to a terminal reports.
type (
	attachMsg struct {
		name string
		cmd  *exec.Cmd
		err  error
	}
	besideMsg struct {
		name string
		err  error
	}
	returnedMsg struct {
		name string
		err  error
	}
)
