package main

import (
	"cmp"
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/disk"
	"parley/internal/remote"
	"parley/internal/sh"
	"parley/plain"
)

// hostOf returns the machine of --host.
func (s *surroundings) hostOf() (remote.Host, error) {
	h, err := remote.Parse(s.host)
	if err != nil {
		return h, err
	}
	if s.workspace != "" {
		h.Workspace = s.workspace
	}

	h.Env = s.env
	if dir := s.env.Get("XDG_RUNTIME_DIR"); disk.Exists(dir) && len(dir) <= daemon.MaxSocketPath-controlName {
		h.Control = filepath.Join(dir, "parley-ssh-%C")
	}

	return h, nil
}

// controlName is how many bytes the name of the shared connection's socket has: with a hash of 40 for
// %C, and 17 that ssh adds while it makes it.
const controlName = len("/parley-ssh-") + 40 + 17

// serviceFromAfar returns a client of the daemon on another machine. It connects at once: ssh may have to
// ask for a passphrase, and what is wrong is said before a screen opens.
func (c *cli) serviceFromAfar(ctx context.Context) (*client.Client, error) {
	h, err := c.hostOf()
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
			h.Address, plain.CleanLine(first.Version), buildVersion())
	}

	return clientOver(h, first, cmp.Or(c.env.Get(parley.KeyVariable), kept, c.env.Get(daemon.OperatorKey))), nil
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
func (s *surroundings) aboutHost(err error) error {
	if s.host == "" || parley.ErrorCode(err) != parley.Unauthenticated {
		return err
	}
	const words = "%s does not know you: there is no key of it here, or it has ended"
	return parley.Errorf(parley.Unauthenticated, words, s.host).
		Suggest("Make one, in a terminal: parley host add %s", sh.Word(s.host))
}

// thereOnTerminal returns a run of parley on the other machine that has this terminal.
func (s *surroundings) thereOnTerminal(ctx context.Context, args ...string) (*exec.Cmd, error) {
	h, err := s.hostOf()
	if err != nil {
		return nil, err
	}
	cmd := h.Command(ctx, true, args...)
	return cmd, cmd.Err
}
