package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"parley"
	"parley/plain"
)

// stopping ends the work of agents, and says what became of them.
type stopping struct{ *cli }

// stop stops or releases one agent and prints which it did.
func (c stopping) stop(ctx context.Context, name string, values url.Values) error {
	values.Set("agent", name)
	res, err := invoke[parley.StopAgentResult](ctx, c.cli, "stop_agent", values)
	switch {
	case err != nil:
		return err
	case c.json:
		return c.printJSON(res)
	case res.Released && res.HadEnded:
		return c.printLine(res.Name + " has left the team; its program had ended.")
	case res.Released:
		return c.printLine(res.Name + " has left the team; its program keeps running.")
	case res.Ended == 0:
		return c.printLine(res.Name + " is stopped; it had no processes.")
	}

	return c.printLine(fmt.Sprintf("%s stopped (%s ended).", res.Name, count(res.Ended, "process")))
}

// finish stops an agent, and merges or removes its worktree.
func (c stopping) finish(ctx context.Context, name string, how url.Values) error {
	how.Set("agent", name)
	res, err := invoke[parley.FinishWorktreeResult](ctx, c.cli, "finish_worktree", how)
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Details[parley.NeedsForce] != nil && c.canAsk() {
		if !c.agreed(plain.CleanLine(e.Message) + ". Remove it all the same? [y/N] ") {
			return parley.Errorf(e.Code, "nothing was removed").Suggest("%s", e.Action)
		}
		how.Set("force", "true")
		res, err = invoke[parley.FinishWorktreeResult](ctx, c.cli, "finish_worktree", how)
	}
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(res)
	}

	w, words := res.Worktree, []string{c.paint(bold, res.Name) + " stopped"}
	if how.Has("keep") {
		words = []string{c.paint(bold, res.Name) + " goes on"}
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

	return c.printLine(strings.Join(words, ", ") + ".")
}
