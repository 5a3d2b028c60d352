package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/plain"
)

const (
	// startWatch is how long a new agent is watched. Agent CLIs that cannot start say so and end within a second;
	// what they ask first, as whether a directory is trusted, comes within three.
	startWatch = 5 * time.Second
	startLook  = 100 * time.Millisecond
	// restarted is what happened to an agent that ran, or was stopped, before.
	restarted = "restarted"
	// lastWords is the number of lines shown from an ended program's screen.
	lastWords = 5
)

// watch reports agents that were just launched, each once it has left the state
// starting or startWatch is over, and what they ask. A program that ended is an error.
func (c launches) watch(ctx context.Context, launched []*parley.LaunchAgentResult, how string) error {
	c.goesOn = "What was launched goes on starting: parley agents shows how far it is."
	until := c.now().Add(startWatch)
	failed := 0
	var asking []string // ids
	for _, res := range launched {
		state, evidence, err := c.awaitStart(ctx, res.AgentID, until)
		if err == nil && state == parley.StateExited {
			err = c.ended(ctx, res, how, evidence)
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
		if err := c.report(res, how); err != nil {
			return err
		}
		if state == parley.StateWaiting {
			asking = append(asking, res.AgentID)
		}
	}

	if len(asking) > 0 && !c.json {
		if err := c.printAsked(ctx, asking); err != nil {
			return err
		}
	}
	if failed > 0 {
		return exitCode(1)
	}

	return nil
}

// printAsked says what agents ask, and the command that answers it.
func (c launches) printAsked(ctx context.Context, ids []string) error {
	res, err := invoke[parley.GetNeedsResult](ctx, c.cli, "get_needs", nil)
	if err != nil {
		return err
	}
	for _, n := range res.Needs {
		if n.Kind == parley.NeedDialog && slices.Contains(ids, n.AgentID) {
			c.printf("%s asks: %s\n%s%s\n", c.paint(bold, n.Agent), c.folded(askedWords(n), 2),
				c.paint(faint, "  → "), n.Command)
		}
	}
	return nil
}

// askedWords says what an agent asks, with the answers that it takes.
func askedWords(n parley.Need) string {
	words := questionWords(n)
	if n.Dialog != nil && len(n.Dialog.Options) > 0 {
		words += "  " + n.Dialog.Choices()
	}
	return words
}

func (c launches) report(res *parley.LaunchAgentResult, how string) error {
	if c.json {
		return c.printJSON(res)
	}

	profile := res.Profile
	if res.ByName {
		profile += ", by its name"
	}

	conversation := withConversation(res, how)
	if res.Host != "" {
		how += " on " + res.Host
	}
	err := c.printLine(fmt.Sprintf("%s %s (agent %s, %s; profile %s); parley attach %s shows its terminal.",
		c.paint(bold, res.Name), how+conversation, parley.Short(res.AgentID),
		c.paint(agentStyle(res.State), string(res.State)), profile, res.Name))
	if err == nil && res.Warning != "" {
		err = c.printLine(c.paint(yellow, "warning") + ": " + res.Warning)
	}
	if err == nil && res.Hint != "" {
		err = c.printLine(res.Hint)
	}
	if err == nil && len(res.NotCopied) > 0 {
		err = c.printLine("Not copied, as the repository has none: " +
			plain.CleanLine(strings.Join(res.NotCopied, ", ")))
	}
	if err != nil || res.PromptMessageID == "" {
		return err
	}

	id := parley.Short(res.PromptMessageID)
	return c.printLine(
		fmt.Sprintf("Its prompt is on the way (msg %s); parley message %s shows what became of it.", id, id))
}

// withConversation says with which conversation a program started, where it may have had one before.
func withConversation(res *parley.LaunchAgentResult, how string) string {
	switch {
	case res.Conversation == parley.ConversationResumed:
		return " with its conversation"
	case res.Conversation == parley.ConversationNew && how == restarted:
		return " with a new conversation"
	}
	return ""
}

// awaitStart returns an agent's state, and its evidence, once it has left starting or
// the time is over.
func (c launches) awaitStart(
	ctx context.Context, id string, until time.Time,
) (state parley.AgentState, evidence string, err error) {
	err = wait.Until(ctx, startLook, func() (bool, error) {
		status, err := invoke[parley.AgentStatusResult](ctx, c.cli, "get_agent_status", url.Values{"agent": {id}})
		if err != nil {
			return false, err
		}
		agent := status.Agents[0]
		state, evidence = agent.State, agent.Evidence
		return state != parley.StateStarting || !c.now().Before(until), nil
	})

	return state, evidence, err
}

// ended returns the error of a program that ended at once, with its last lines.
func (c launches) ended(ctx context.Context, res *parley.LaunchAgentResult, how, evidence string) error {
	name := res.Name
	e := parley.Errorf(parley.AgentUnavailable, "%s was %s, but %s", name, how, evidence).
		Suggest("Correct the cause, then: parley restart %s; or launch %s again with another command.", name, name)
	if res.Conversation == parley.ConversationResumed {
		e = e.Suggest("parley restart %s --fresh starts it with a new conversation; parley restart %s tries again.",
			name, name)
	}
	screen, err := invoke[parley.ReadTerminalResult](ctx, c.cli, "read_terminal", url.Values{"agent": {name}})
	if err != nil {
		return e
	}

	lines := parley.ScreenEnd(screen.Lines, lastWords)
	if len(lines) == 0 {
		return e
	}

	e = e.With("screen", lines)
	e.Message += "; its last lines:\n  " + strings.Join(lines, "\n  ")

	return e
}
