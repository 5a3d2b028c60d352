package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

type needsCommand struct{}

func (n needsCommand) declare(c *cli) *cobra.Command {
	return operation[parley.GetNeedsResult]{
		op:    "get_needs",
		use:   "needs",
		short: "List what needs you: questions, lost agents, late answers",
		example: `  parley needs
  parley needs --dismiss 5f0c21aa`,
		flags: []string{"dismiss"},
		print: n.print,
		more:  n.printUnread,
	}.declare(c)
}

func (n needsCommand) print(o *output, res *parley.GetNeedsResult) error {
	var lines []string
	if res.Dismissed > 0 {
		lines = append(lines, "Dismissed.")
	}
	between := slices.IndexFunc(res.Needs, func(n parley.Need) bool { return n.Between })
	if between < 0 {
		between = len(res.Needs)
	}
	roots := parley.Roots(res.Needs)
	if len(roots) == 0 {
		lines = append(lines, "Nothing needs you.")
	}
	for i, root := range roots {
		lines = append(lines, n.lines(o, *root)...)
		if words := coveredWords(roots[:i+1], res.Needs[:between]); words != "" {
			lines = append(lines, o.folded("    "+o.paint(faint, words), 4))
		}
	}
	return o.printLine(strings.Join(append(lines, n.betweenLines(o, res.Needs[between:])...), "\n"))
}

// coveredWords says what else is part of the last of some matters, and of none before it; "" for nothing.
func coveredWords(roots []*parley.Need, needs []parley.Need) string {
	var names []string
	for i := range needs {
		x := &needs[i]
		first := slices.IndexFunc(roots, func(r *parley.Need) bool { return r == x || r.Covers(x) })
		if first == len(roots)-1 && roots[first] != x {
			names = append(names, fmt.Sprintf("%s %s", x.Agent, x.Kind.Words()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	words := fmt.Sprintf("with it: %s", strings.Join(names[:min(len(names), mostBetween)], ", "))
	if more := len(names) - mostBetween; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}

// mostBetween is how many states between agents are listed.
const mostBetween = 5

// betweenLines lists what is between agents, on a line each.
func (needsCommand) betweenLines(o *output, states []parley.Need) (lines []string) {
	if len(states) == 0 {
		return nil
	}
	lines = append(lines, o.paint(faint, "Between agents, and nothing that you must do:"))
	for _, n := range states[:min(len(states), mostBetween)] {
		kind, ago := n.Kind.Words(), cmp.Or(o.ago(n.Since), "0s")
		lines = append(lines, o.paint(faint, fmt.Sprintf("  %s  %s: %s  %s ago", kind, n.Agent, n.Text, ago)))
	}
	if more := len(states) - mostBetween; more > 0 {
		lines = append(lines, o.paint(faint, fmt.Sprintf("  and %d more: parley needs --json", more)))
	}
	return lines
}

// printUnread says how many messages the caller has not read.
func (needsCommand) printUnread(ctx context.Context, c *cli, _ *parley.GetNeedsResult) error {
	res, err := call[parley.CheckNewMessagesResult](ctx, c, "check_new_messages", nil)
	if err != nil || res.UnreadCount == 0 {
		return err
	}
	return c.out.printLine(count(res.UnreadCount, "unread message") + " for you: parley inbox")
}

// lines formats a need: its kind and text, the agent's screen, and the next steps.
func (needsCommand) lines(o *output, n parley.Need) []string {
	lines := []string{
		fmt.Sprintf("%s  %s: %s  %s", o.paint(needStyle(n.Kind), n.Kind.Words()),
			o.paint(bold, n.Agent), n.Text, o.paint(faint, cmp.Or(o.ago(n.Since), "0s")+" ago")),
	}
	lines[0] = o.folded(lines[0], 2)
	for _, line := range n.Screen {
		lines = append(lines, o.quoted(line))
	}
	sign := "  → "
	for _, step := range n.Steps(false) {
		lines = append(lines, o.paint(faint, sign)+step.String())
		sign = "    "
	}
	return append(lines, o.folded("    "+n.Action, 4))
}

func needStyle(kind parley.NeedKind) string {
	if row, _ := parley.NeedRowOf(kind); row.Grave {
		return red
	}
	return yellow
}

type steerCommand struct{}

func (steerCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "steer NAME TEXT…",
		Short: "Give an agent guidance, typed under its own header",
		Example: `  parley steer coder "Check the error in the terminal output"
  parley steer coder --kind "OFF COURSE" "the parser comes first" --wait`,
	}
	sending{op: "steer_agent", to: "agent", flags: []string{"kind", "idempotency_key=key"}}.complete(cmd, c)
	return cmd
}
