package tui

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/tui/compose"
	"parley/tui/room"
)

// callTimeout bounds one call of the service. The person is told when it ends.
const callTimeout = 30 * time.Second

func newCommands(ctx context.Context, o Options, notes <-chan note) room.Commands {
	later := func(delay time.Duration, r room.Request) tea.Cmd {
		return func() tea.Msg {
			_ = wait.Pause(ctx, delay)
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return r(ctx, o.Service)
		}
	}

	beats := 0
	beat := func() tea.Msg {
		_ = wait.Pause(ctx, room.Heartbeat)
		if beats++; beats%room.FullBeat == 0 {
			return room.TickMsg(o.Now())
		}
		return room.BeatMsg(o.Now())
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

	var export func(room.Exported, string) tea.Cmd
	if o.Export != nil {
		export = func(what room.Exported, path string) tea.Cmd {
			return func() tea.Msg {
				n, err := o.Export(ctx, what, path)
				return room.ExportedMsg{Path: path, N: n, Err: err}
			}
		}
	}

	var buffer func(string) tea.Cmd
	if o.Buffer != nil {
		buffer = func(text string) tea.Cmd {
			return func() tea.Msg { return room.BufferedMsg{Err: o.Buffer(ctx, text)} }
		}
	}

	return room.Commands{
		Open:       func(msg room.TextMsg) tea.Cmd { return room.OpenFile(o.Environ, msg) },
		Export:     export,
		Buffer:     buffer,
		Programs:   programs,
		Workspaces: workspaces,
		Now:        o.Now,
		Next:       func() tea.Msg { return gather(ctx, notes, o.Now, frameOf(o.Still)) },
		Tick:       beat,
		Call:       func(r room.Request) tea.Cmd { return later(0, r) },
		Later:      later,
		Attach:     func(name string) tea.Cmd { return func() tea.Msg { return attach(o, name) } },
		Show:       show,
		Edit:       func(d room.Draft) tea.Cmd { return compose.Edit(o.Environ, d) },
		Operate: func(name string, args url.Values, call *op.Invocation) tea.Cmd {
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
		return room.AttachMsg{Name: name, Cmd: cmd, Err: err}
	}

	cmd, err := o.Beside(name)
	if err == nil {
		err = runQuietly(cmd)
	}

	return room.BesideMsg{Name: name, Err: err}
}

// show gives the terminal to cmd until cmd ends. Its stderr would vanish with
// the screen, so it becomes the error.
func show(name string, cmd *exec.Cmd) tea.Cmd {
	cmd.Stdin = os.Stdin // itself, not what the screen reads it through
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

		return room.ReturnedMsg{Name: name, Err: err}
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
