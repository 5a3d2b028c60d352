package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
)

func needsCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.GetNeedsResult]{
		op:    "get_needs",
		use:   "needs",
		short: "List what needs you: questions, lost agents, late answers",
		example: `  parley needs
  parley needs --dismiss 5f0c21aa`,
		args:  cobra.NoArgs,
		flags: []string{"dismiss"},
		print: printNeeds,
		more:  printUnread,
	})
}

func printNeeds(c *cli, res *parley.GetNeedsResult) error {
	var lines []string
	if res.Dismissed > 0 {
		lines = append(lines, "Dismissed.")
	}
	between := slices.IndexFunc(res.Needs, func(n parley.Need) bool { return n.Between })
	if between < 0 {
		between = len(res.Needs)
	}
	if between == 0 {
		lines = append(lines, "Nothing needs you.")
	}
	for _, n := range res.Needs[:between] {
		lines = append(lines, needLines(c, n)...)
	}
	return c.printLine(strings.Join(append(lines, betweenLines(c, res.Needs[between:])...), "\n"))
}

// mostBetween is how many states between agents are listed.
const mostBetween = 5

// betweenLines lists what is between agents, on a line each.
func betweenLines(c *cli, states []parley.Need) (lines []string) {
	if len(states) == 0 {
		return nil
	}
	lines = append(lines, c.paint(faint, "Between agents, and nothing that you must do:"))
	for _, n := range states[:min(len(states), mostBetween)] {
		lines = append(lines, c.paint(faint, fmt.Sprintf("  %s  %s: %s  %s ago", strings.ReplaceAll(string(n.Kind), "_", " "),
			n.Agent, n.Text, cmp.Or(c.ago(n.Since), "0s"))))
	}
	if more := len(states) - mostBetween; more > 0 {
		lines = append(lines, c.paint(faint, fmt.Sprintf("  and %d more: parley needs --json", more)))
	}
	return lines
}

// printUnread says how many messages the caller has not read.
func printUnread(ctx context.Context, c *cli, _ *parley.GetNeedsResult) error {
	res, err := invoke[parley.CheckNewMessagesResult](ctx, c, "check_new_messages", nil)
	if err != nil || res.UnreadCount == 0 {
		return err
	}
	return c.printLine(count(res.UnreadCount, "unread message") + " for you: parley inbox")
}

// needLines formats a need: its kind and text, the agent's screen, and the next step.
func needLines(c *cli, n parley.Need) []string {
	lines := []string{
		fmt.Sprintf("%s  %s: %s  %s", c.paint(needStyle(n.Kind), strings.ReplaceAll(string(n.Kind), "_", " ")),
			c.paint(bold, n.Agent), n.Text, c.paint(faint, cmp.Or(c.ago(n.Since), "0s")+" ago")),
	}
	lines[0] = folded(c, lines[0], 2)
	for _, line := range n.Screen {
		lines = append(lines, quotedLine(c, line))
	}
	return append(lines, c.paint(faint, "  → ")+n.Command, folded(c, "    "+n.Action, 4))
}

// quotedLine is a line of an agent's screen, as much of it as a line of the terminal takes.
func quotedLine(c *cli, line string) string {
	if width := columnsOf(c.out) - 4; width > 0 {
		line = ansi.Truncate(line, width, "…")
	}
	return strings.TrimRight(c.paint(faint, "  │ ")+line, " ")
}

func needStyle(kind parley.NeedKind) string {
	switch kind {
	case parley.NeedReturn, parley.NeedLost, parley.NeedRefused, parley.NeedExited:
		return red
	}
	return yellow
}

func steerCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "steer NAME TEXT…",
		Short: "Give an agent guidance, typed under its own header",
		Example: `  parley steer coder "Check the error in the terminal output"
  parley steer coder --kind "OFF COURSE" "the parser comes first" --wait`,
		Args: usage(cobra.MinimumNArgs(2)),
	}
	return sendingCommand(c, cmd, "steer_agent", "agent", []string{"kind", "idempotency_key=key"})
}
