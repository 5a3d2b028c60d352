package main

import (
	"context"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/tmux"
)

type downCommand struct{}

func (d downCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop all agents and the daemon",
		Example: `  parley down
  parley down --keep-agents    # only the daemon; the next one finds the agents again`,
		Args: usage(cobra.NoArgs),
	}

	read := addFlags(cmd, "shut_down", []string{"keep_agents"})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}
		return d.run(cmd.Context(), stopping{c}, at, read())
	}

	return cmd
}

func (downCommand) run(ctx context.Context, c stopping, at daemon.Place, args url.Values) error {
	res, err := c.shutDown(ctx, at, args)
	switch {
	case err != nil:
		return err
	case res == nil && c.json:
		return c.printJSON(parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}})
	case res == nil:
		return c.printLine("Nothing runs in " + at.Root + ".")
	case c.json:
		return c.printJSON(res)
	}
	return c.printLine(downSentence(res))
}

// shutDown ends the workspace's daemon and waits for its end. The result is nil if nothing runs.
func (c stopping) shutDown(ctx context.Context, at daemon.Place, args url.Values) (*parley.ShutDownResult, error) {
	info, err := daemon.Find(ctx, at, c.now)
	if err != nil || info == nil && !tmux.Runs(at.TmuxSocket()) {
		return nil, err
	}

	if info == nil { // agents have outlived their daemon: a new one is started to end them
		c.consent(at)
		if info, err = c.startDaemon(ctx, at); err != nil {
			return nil, err
		}
	}

	res, err := invoke[parley.ShutDownResult](ctx, c.cli, "shut_down", args)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, daemon.EndWithin+daemon.StartWithin, stillEnding(at))
	defer cancel()

	return res, daemon.AwaitGone(ctx, at, info.PID)
}

// stillEnding is the error of what waits for the end of a daemon.
func stillEnding(at daemon.Place) error {
	return parley.Errorf(parley.DaemonUnavailable, "the daemon is still ending").
		Suggest("Look into %s.", at.Log())
}

func downSentence(res *parley.ShutDownResult) string {
	var parts []string
	if len(res.Stopped) > 0 {
		parts = append(parts, "Stopped "+strings.Join(res.Stopped, ", "))
	}

	switch n := len(res.Left); {
	case n == 1:
		parts = append(parts, res.Left[0]+" keeps running in its own tmux")
	case n > 1:
		parts = append(parts, strings.Join(res.Left, ", ")+" keep running in their own tmux")
	}

	if len(parts) == 0 {
		return "The daemon has ended."
	}

	return strings.Join(append(parts, "the daemon has ended."), "; ")
}
