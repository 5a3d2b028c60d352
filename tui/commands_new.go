package tui

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/wait"
)

// callTimeout bounds one call of the service. The person is told when it ends.
const callTimeout = 30 * time.Second

func newCommands(ctx context.Context, o Options, notes <-chan note) commands {
	later := func(delay time.Duration, r request) tea.Cmd {
		return func() tea.Msg {
			_ = wait.Pause(ctx, delay)
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return r(ctx, o.Service)
		}
	}

	beats := 0
	beat := func() tea.Msg {
		_ = wait.Pause(ctx, heartbeat)
		if beats++; beats%fullBeat == 0 {
			return tickMsg(o.Now())
		}
		return beatMsg(o.Now())
	}

	var programs tea.Cmd
	if o.Programs != nil {
		programs = func() tea.Msg { return programsMsg(o.Programs()) }
	}

	var workspaces tea.Cmd
	if o.Workspaces != nil {
		workspaces = func() tea.Msg {
			list, err := o.Workspaces(ctx)
			return workspacesMsg{list, err}
		}
	}

	var export func(Exported, string) tea.Cmd
	if o.Export != nil {
		export = func(what Exported, path string) tea.Cmd {
			return func() tea.Msg {
				n, err := o.Export(ctx, what, path)
				return exportedMsg{path: path, n: n, err: err}
			}
		}
	}

	var buffer func(string) tea.Cmd
	if o.Buffer != nil {
		buffer = func(text string) tea.Cmd { return func() tea.Msg { return bufferedMsg{err: o.Buffer(ctx, text)} } }
	}

	return commands{
		open:       func(msg textMsg) tea.Cmd { return openFile(o.Environ, msg) },
		export:     export,
		buffer:     buffer,
		programs:   programs,
		workspaces: workspaces,
		now:        o.Now,
		next:       func() tea.Msg { return gather(ctx, notes, o.Now, frameOf(o.Still)) },
		tick:       beat,
		call:       func(r request) tea.Cmd { return later(0, r) },
		later:      later,
		attach:     func(name string) tea.Cmd { return func() tea.Msg { return attach(o, name) } },
		show:       show,
		edit:       func(d draft) tea.Cmd { return edit(o.Environ, d) },
		operate: func(name string, args url.Values, call *parley.Invocation) tea.Cmd {
			return later(0, func(ctx context.Context, s parley.Service) tea.Msg {
				return operate(ctx, s, name, args, call)
			})
		},
	}
}

// attach opens a window beside the screen where that is possible. Elsewhere it
// returns the command that takes the screen's place.
func attach(o Options, name string) tea.Msg {
	if o.Beside == nil {
		cmd, err := o.Attach(name)
		return attachMsg{name: name, cmd: cmd, err: err}
	}

	cmd, err := o.Beside(name)
	if err == nil {
		err = runQuietly(cmd)
	}

	return besideMsg{name: name, err: err}
}

// show gives the terminal to cmd until cmd ends. Its stderr would vanish with
// the screen, so it becomes the error.
func show(name string, cmd *exec.Cmd) tea.Cmd {
	var complaint bytes.Buffer
	if cmd.Stderr == nil {
		cmd.Stderr = &complaint
		cmd.WaitDelay = time.Second // a grandchild may keep the pipe
	}

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		if text := strings.TrimSpace(complaint.String()); err != nil && text != "" {
			err = errors.New(text)
		}

		return returnedMsg{name: name, err: err}
	})
}

// runQuietly runs a command that ends at once. Its output becomes the error.
func runQuietly(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return errors.New(text)
	}
	return err
}
