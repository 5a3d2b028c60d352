package main

import (
	"context"
	"fmt"
	"net"
	"parley/internal/remote"

	"github.com/spf13/cobra"
)

// linkCommand is the other end of --host: it passes bytes between ssh and the daemon.
func linkCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "link",
		Hidden: true,
		Args:   usage(cobra.NoArgs),
	}

	passive := cmd.Flags().Bool("passive", false, "start no daemon")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c.json = true // so that the error reaches the other machine
		look := c.inUse
		if *passive {
			look = func(ctx context.Context) error { return daemonRuns(ctx, c) }
		}
		if err := look(cmd.Context()); err != nil {
			return err
		}
		return link(cmd.Context(), c)
	}

	return cmd
}

func link(ctx context.Context, c *cli) error {
	at, err := c.place()
	if err != nil {
		return err
	}
	info, err := c.ensureDaemon(ctx, at)
	if err != nil {
		return err
	}

	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: info.Socket, Net: "unix"})
	if err != nil {
		return fmt.Errorf("connect to the daemon: %w", err)
	}
	defer conn.Close()
	return remote.Serve(c.in, c.out, conn, buildVersion())
}
