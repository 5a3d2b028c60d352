package main

import (
	"cmp"
	"context"
	"net"
	"os/exec"
	"path"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/remote"
	"parley/tmux"
)

// hostOf returns the machine of --host.
func hostOf(c *cli) (remote.Host, error) {
	h, err := remote.Parse(c.host)
	if err != nil {
		return h, err
	}
	if c.workspace != "" {
		h.Workspace = c.workspace
	}

	h.Env = c.env
	if dir := c.env.Get("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && len(dir) <= daemon.MaxSocketPath-controlName {
		h.Control = filepath.Join(dir, "parley-ssh-%C")
	}

	return h, nil
}

// controlName is how many bytes the name of the shared connection's socket has: with a hash of 40 for
// %C, and 17 that ssh adds while it makes it.
const controlName = len("/parley-ssh-") + 40 + 17

// serviceOf returns a client of the daemon on another machine. It connects at once: ssh may have to
// ask for a passphrase, and what is wrong is said before a screen opens.
func serviceOf(ctx context.Context, c *cli) (*client.Client, error) {
	h, err := hostOf(c)
	if err != nil {
		return nil, err
	}
	kept, err := remote.Keys(daemon.HostsFile(c.env)).Of(h.String())
	if err != nil {
		return nil, err
	}
	first, err := h.Dial(ctx)
	if err != nil {
		return nil, err
	}

	if first.Version != buildVersion() {
		c.warned.print(&c.output, "parley on %s is version %s, here it is %s",
			h.Address, parley.CleanLine(first.Version), buildVersion())
	}

	return clientOver(h, first, cmp.Or(c.env.Get("PARLEY_KEY"), kept, c.env.Get(daemon.OperatorKey))), nil
}

// clientOver returns a client whose first connection is there already.
func clientOver(h remote.Host, first *remote.Link, key string) *client.Client {
	var made atomic.Pointer[remote.Link]
	made.Store(first)
	dial := func(ctx context.Context) (net.Conn, error) {
		if l := made.Swap(nil); l != nil {
			return l, nil
		}
		return h.Dial(ctx)
	}

	return client.New(client.Options{Dial: dial, Where: h.String(), Key: key, Retry: reconnect})
}

// aboutHost says how the daemon of another machine comes to know the caller.
func aboutHost(s *surroundings, err error) error {
	if s.host == "" || parley.ErrorCode(err) != parley.Unauthenticated {
		return err
	}
	const words = "%s does not know you: there is no key of it here, or it has ended"
	return parley.Errorf(parley.Unauthenticated, words, s.host).
		Suggest("Make one, in a terminal: parley host add %s", parley.ShellWord(s.host))
}

// thereOnTerminal returns a run of parley on the other machine that has this terminal.
func thereOnTerminal(ctx context.Context, c *cli, args ...string) (*exec.Cmd, error) {
	h, err := hostOf(c)
	if err != nil {
		return nil, err
	}
	cmd := h.Command(ctx, true, args...)
	return cmd, cmd.Err
}

func attachFromAfar(ctx context.Context, c *cli, name string) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley --host %s screen %s", parley.ShellWord(c.host), parley.ShellWord(name))
	}
	there, err := thereOnTerminal(ctx, c, "attach", name)
	if err != nil {
		return err
	}
	return syscall.Exec(there.Path, there.Args, there.Env)
}

// screenPlace returns the place that the screen shows; none if it is on another machine.
func screenPlace(c *cli) (daemon.Place, error) {
	if c.host != "" {
		return daemon.Place{}, nil
	}
	return c.place()
}

// screenTitle names the workspace at the top of the screen.
func screenTitle(c *cli, at daemon.Place) string {
	h, err := hostOf(c)
	switch {
	case c.host == "" || err != nil:
		return at.Root
	case h.Workspace == "":
		return h.Address
	}
	return path.Base(h.Workspace) + " on " + path.Base(h.Address)
}

// screenReturnKey returns the key that leads back from an attached terminal.
func screenReturnKey(ctx context.Context, s *surroundings, at daemon.Place) string {
	if s.host != "" {
		return tmux.ReturnKey
	}
	return returnKey(ctx, s, at.TmuxSocket(s.env))
}
