package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/plain"
	"parley/tmux"
)

type downCommand struct{}

func (d downCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Stop all agents and the daemon",
		Example: `  parley down
  parley down --keep-agents    # only the daemon; the next one finds the agents again`,
	}

	read := addFlags(cmd, "shut_down", []string{"keep_agents"})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.at.place()
		if err != nil {
			return err
		}
		return d.run(cmd.Context(), stopping{c}, at, read())
	}

	return cmd
}

func (downCommand) run(ctx context.Context, c stopping, at place.Place, args url.Values) error {
	res, err := c.shutDown(ctx, at, args)
	switch {
	case err != nil:
		return err
	case res == nil && c.cli.out.json:
		return c.cli.out.printJSON(parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}})
	case res == nil:
		return c.cli.out.printLine("Nothing runs in " + at.Root + ".")
	case c.cli.out.json:
		return c.cli.out.printJSON(res)
	}
	return c.cli.out.printLine(downSentence(res))
}

// shutDown ends the workspace's daemon and waits for its end. The result is nil if nothing runs.
func (c stopping) shutDown(ctx context.Context, at place.Place, args url.Values) (*parley.ShutDownResult, error) {
	info, err := daemon.Find(ctx, at, c.cli.out.now)
	if err != nil || info == nil && !tmux.Runs(at.TmuxSocket()) {
		return nil, err
	}

	if info == nil { // agents have outlived their daemon: a new one is started to end them
		c.cli.program.consent(at)
		if info, err = c.cli.program.startDaemon(ctx, at); err != nil {
			return nil, err
		}
	}

	res, err := call[parley.ShutDownResult](ctx, c.cli, "shut_down", args)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeoutCause(ctx, daemon.EndWithin+daemon.StartWithin, stillEnding(at))
	defer cancel()

	return res, daemon.AwaitGone(ctx, at, info.PID)
}

func stillEnding(at place.Place) error {
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

// stopping ends the work of agents, and says what became of them.
type stopping struct{ cli *cli }

// stop stops or releases one agent and prints which it did.
func (c stopping) stop(ctx context.Context, name string, values url.Values) error {
	values.Set("agent", name)
	res, err := call[parley.StopAgentResult](ctx, c.cli, "stop_agent", values)
	switch {
	case err != nil:
		return err
	case c.cli.out.json:
		return c.cli.out.printJSON(res)
	case res.Released && res.HadEnded:
		return c.cli.out.printLine(res.Name + " has left the team; its program had ended.")
	case res.Released:
		return c.cli.out.printLine(res.Name + " has left the team; its program keeps running.")
	case res.Ended == 0:
		return c.cli.out.printLine(res.Name + " is stopped; it had no processes.")
	}

	return c.cli.out.printLine(fmt.Sprintf("%s stopped (%s ended).", res.Name, count(res.Ended, "process")))
}

// finish stops an agent, and merges or removes its worktree.
func (c stopping) finish(ctx context.Context, name string, how url.Values) error {
	how.Set("agent", name)
	res, err := call[parley.FinishWorktreeResult](ctx, c.cli, "finish_worktree", how)
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Details[parley.NeedsForce] != nil && c.cli.program.canAsk() {
		if !c.cli.program.agreed(plain.CleanLine(e.Message) + ". Remove it all the same? [y/N] ") {
			return parley.Errorf(e.Code, "nothing was removed").Suggest("%s", e.Action)
		}
		how.Set("force", "true")
		res, err = call[parley.FinishWorktreeResult](ctx, c.cli, "finish_worktree", how)
	}
	if err != nil {
		return err
	}
	if c.cli.out.json {
		return c.cli.out.printJSON(res)
	}

	w, words := res.Worktree, []string{c.cli.out.paint(bold, res.Name) + " stopped"}
	if how.Has("keep") {
		words = []string{c.cli.out.paint(bold, res.Name) + " goes on"}
	}
	switch res.Merged {
	case parley.MergedNothing:
		words = append(words, w.Branch+" had nothing that "+w.Base+" lacks")
	case parley.MergedFast, parley.MergedCommit, parley.MergedSquash:
		words = append(words, w.Branch+" merged into "+w.Base+" ("+string(res.Merged)+")")
	}
	if res.Removed {
		words = append(words, "its worktree removed")
	} else {
		words = append(words, "its worktree kept in "+w.Path)
	}

	return c.cli.out.printLine(strings.Join(words, ", ") + ".")
}
