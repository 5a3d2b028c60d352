package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
)

const (
	// startWatch is how long a new agent is watched. Of the agent CLIs those that
	// cannot start have said so and ended within a second.
	startWatch = 2 * time.Second
	startLook  = 100 * time.Millisecond
	// lastWords is how many lines of an ended program's screen are shown.
	lastWords = 5
)

// watchLaunched watches agents that were just launched until each is there, has
// ended, or has had its time, and reports them. One that ended is an error.
func watchLaunched(ctx context.Context, c *cli, launched []*parley.LaunchAgentResult, how string) error {
	until := c.now().Add(startWatch)
	failed := 0
	for _, res := range launched {
		state, evidence, err := awaitStart(ctx, c, res.AgentID, until)
		if err == nil && state == parley.StateExited {
			err = endedError(ctx, c, res.Name, how, evidence)
		}

		if err != nil {
			failed++
			if failed == len(launched) {
				return err
			}
			c.fail(err)
			continue
		}

		res.State = state
		if err := reportLaunched(c, res, how); err != nil {
			return err
		}
	}

	if failed > 0 {
		return exitCode(1)
	}

	return nil
}

func reportLaunched(c *cli, res *parley.LaunchAgentResult, how string) error {
	if c.json {
		return c.printJSON(res)
	}

	return c.printLine(fmt.Sprintf(
		"%s %s (agent %s, %s); parley attach %s shows its terminal.",
		c.paint(
			bold,
			res.Name,
		),
		how,
		parley.Short(res.AgentID),
		c.paint(agentStyle(res.State), string(res.State)),
		res.Name,
	))
}

// awaitStart returns an agent's state once it has left `starting`, or its time is over.
func awaitStart(ctx context.Context, c *cli, id string, until time.Time) (parley.AgentState, string, error) {
	tick := time.NewTicker(startLook)
	defer tick.Stop()

	for {
		status, err := invoke[parley.AgentStatusResult](ctx, c, "get_agent_status", url.Values{"agent": {id}})
		if err != nil {
			return "", "", err
		}

		a := status.Agents[0]
		if a.State != parley.StateStarting || !c.now().Before(until) {
			return a.State, a.Evidence, nil
		}

		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", "", ctx.Err()
		}
	}
}

// endedError says what an agent's program said before it ended.
func endedError(ctx context.Context, c *cli, name, how, evidence string) error {
	e := parley.Errorf(parley.AgentUnavailable, "%s was %s, but %s", name, how, evidence).
		Suggest("Correct what it complains about, then: parley restart %s; or launch %s anew with another command.", name, name)
	screen, err := invoke[parley.ReadTerminalResult](ctx, c, "read_terminal", url.Values{"agent": {name}})
	if err != nil {
		return e
	}

	lines := slices.DeleteFunc(screen.Lines, func(line string) bool {
		return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "Pane is dead (") // tmux's own line
	})
	if len(lines) == 0 {
		return e
	}

	lines = lines[max(0, len(lines)-lastWords):]
	e = e.With("screen", lines)
	e.Message += "; its last words:\n  " + strings.Join(lines, "\n  ")

	return e
}
