package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// KeepCommand is the argument with which parley runs Keep. It marks the keeper in the list of
// processes.
const KeepCommand = "_keep"

// IsKeeper reports whether the process is the keeper of a tmux server.
func (p *Process) IsKeeper() bool { return len(p.Args) > 1 && p.Args[1] == KeepCommand }

// Kept reports whether a process of this machine still descends from a keeper, as far as the system tells.
func Kept(pid int) bool {
	l, err := LineageOf(pid)
	return err != nil || len(l.Line) == 0 || slices.ContainsFunc(l.Line, func(p Process) bool { return p.IsKeeper() })
}

// startKept starts the server below the keeper of the options, unless it runs already. Without a keeper
// the control client starts the server.
func (c *control) startKept(ctx context.Context) error {
	if len(c.opts.Keeper) == 0 {
		return nil
	}
	running := exec.CommandContext(ctx, c.opts.Binary, append(c.opts.socket(), "has-session")...)
	running.Env = c.opts.Env
	if running.Run() == nil {
		return nil
	}

	argv := slices.Concat(c.opts.Keeper, []string{c.opts.Binary}, c.opts.socket(),
		[]string{"-f", "/dev/null", "new-session", "-d", "-s", hubSession, "cat", "-u"})
	keeper := exec.Command(argv[0], argv[1:]...)
	keeper.Env = c.opts.Env
	keeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this process
	said, err := keeper.StdoutPipe()
	if err != nil {
		return err
	}
	if err := keeper.Start(); err != nil {
		return fmt.Errorf("start the keeper of tmux: %w", err)
	}

	stop := context.AfterFunc(ctx, func() { _ = said.Close() })
	defer stop()
	text, err := io.ReadAll(said) // until the server runs, or cannot
	go func() { _ = keeper.Wait() }()

	text = bytes.TrimSpace(text)
	if err == nil && len(text) > 0 && !strings.Contains(string(text), "duplicate session") {
		err = errors.New("tmux: " + string(text))
	}

	return err
}
