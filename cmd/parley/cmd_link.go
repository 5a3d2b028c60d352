package main

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"

	"parley/internal/remote"
)

// linkCommand is the other end of --host: it passes bytes between ssh and the daemon.
type linkCommand struct {
	passive bool // it starts no daemon
}

func (l *linkCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "link",
		Hidden: true,
		Args:   usage(cobra.NoArgs),
	}

	cmd.Flags().BoolVar(&l.passive, "passive", false, "start no daemon")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.out.json = true // so that the error reaches the other machine
		look := c.inUse
		if l.passive {
			look = c.at.daemonRuns
		}
		if err := look(cmd.Context()); err != nil {
			return err
		}
		return l.run(cmd.Context(), c)
	}

	return cmd
}

func (*linkCommand) run(ctx context.Context, c *cli) error {
	at, err := c.at.place()
	if err != nil {
		return err
	}
	info, err := c.program.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: info.Socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("connect to the daemon: %w", err)
	}
	defer conn.Close()
	return remote.Serve(c.program.in, c.out.out, conn, buildVersion())
}
