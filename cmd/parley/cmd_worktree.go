package main

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/sh"
	"parley/plain"
)

var diffCommand = operation[parley.DiffAgentResult]{
	op:    "diff_agent",
	use:   "diff NAME",
	short: "Show what an agent has changed, and what is not merged",
	example: `  parley diff coder
  parley diff coder --stat`,
	complete: firstAgents(1),
	flags:    []string{"stat"},
	print:    printDiff,
}

func printDiff(o *output, res *parley.DiffAgentResult) error {
	for line := range strings.Lines(res.Diff) {
		if err := o.printLine(o.paint(diffStyle(line), strings.TrimSuffix(line, "\n"))); err != nil {
			return err
		}
	}
	if res.Truncated {
		o.printf("The diff is longer; see all of it: git -C %s diff %s\n", sh.Word(res.Dir), res.Since)
	}

	switch {
	case len(res.Untracked) > 0:
		files := plain.CleanLine(strings.Join(res.Untracked, ", "))
		return o.printLine("New files that git does not track: " + files)
	case res.Diff == "":
		return o.printLine(res.Name + " has changed nothing.")
	}
	return nil
}

var pullCommand = operation[parley.OpenPullRequestResult]{
	op:    "open_pull_request",
	use:   "pr NAME",
	short: "Open a pull request, and bring its reviews to the agent",
	example: `  parley pr coder
  parley pr coder --title "Fix the login" --draft
  parley pr coder --stop      # the agent hears no more of it`,
	complete: firstAgents(1),
	flags:    []string{"title", "body", "base", "draft", "stop"},
}

// mergeCommand merges an agent's branch. The agent goes on, unless its worktree is to be removed.
type mergeCommand struct{ preview, squash bool }

func (m *mergeCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge NAME",
		Short: "Merge what an agent has committed into your branch",
		Long: `Merges an agent's branch into the branch that it came from. The agent goes on in its worktree,
unless you remove it.
Nothing is merged while files are not committed, or where the two conflict: --preview shows that, and changes nothing.`,
		Example: `  parley merge coder --preview
  parley merge coder
  parley merge coder --squash --remove    # one commit, and the worktree away`,
	}

	cmd.Flags().BoolVar(&m.preview, "preview", false, "only show what a merge would do")
	cmd.Flags().BoolVar(&m.squash, "squash", false, "all as one commit; with --remove")
	finish := addFlags(cmd, "finish_worktree", []string{"how", "remove", "force"})
	cmd.MarkFlagsMutuallyExclusive("squash", "how")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if m.preview {
			return m.show(cmd.Context(), c, args[0])
		}

		how := finish()
		how.Set("merge", "true")
		if m.squash {
			how.Set("how", string(parley.MergedSquash))
		}
		if !how.Has("remove") {
			how.Set("keep", "true")
		}
		return stopping{c}.finish(cmd.Context(), args[0], how)
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

// show prints what a merge would do.
func (*mergeCommand) show(ctx context.Context, c *cli, name string) error {
	res, err := call[parley.PreviewMergeResult](ctx, c, "preview_merge", url.Values{"agent": {name}})
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	possible := "a merge commit is possible"
	switch {
	case res.Refused != "":
		possible = "a merge is not possible now"
	case res.Behind == 0:
		possible = "a fast-forward is possible"
	}
	c.out.printf("%s into %s: %d ahead, %d behind; %s.\n", res.Worktree.Branch, res.Worktree.Base, res.Ahead,
		res.Behind, possible)
	list := func(what string, names []string) {
		if len(names) > 0 {
			c.out.printf("%s: %s\n", what, plain.CleanLine(strings.Join(names, ", ")))
		}
	}
	list("Conflicts", res.Conflicts)
	list("Not committed", res.Open)
	list("Ignored by git, and nowhere else", res.Ignored)
	for _, s := range res.Shared {
		list(s.Name+" changes, too", s.Files)
	}
	if res.Refused != "" {
		return c.out.printLine("Not now: " + res.Refused)
	}

	return nil
}

func diffStyle(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
		return bold
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@@"):
		return faint
	}
	return ""
}

// printWorktrees prints the worktrees of the agents that were shown, if there are any.
func (*agentsCommand) printWorktrees(ctx context.Context, c *cli, shown *parley.AgentStatusResult) error {
	agents := shown.Agents
	if !slices.ContainsFunc(agents, func(a parley.AgentStatus) bool { return a.Worktree != nil }) {
		return nil
	}
	res, err := call[parley.WorktreesResult](ctx, c, "list_worktrees", nil)
	if parley.ErrorCode(err) == parley.NotAuthorized { // an agent that asks who is there
		return nil
	}
	if err != nil {
		return err
	}

	var t table
	t.headed, t.fits = true, []fit{inner, inner, whole, whole, prose, inner}
	t.add(c.out.heads("WORKTREE OF", "BRANCH", "AHEAD", "BEHIND", "NOT COMMITTED", "IN")...)
	for _, w := range res.Worktrees {
		if !slices.ContainsFunc(agents, func(a parley.AgentStatus) bool { return a.ID == w.AgentID }) {
			continue
		}
		dirty := strconv.Itoa(w.Dirty)
		if w.Problem != "" {
			dirty = "? " + w.Problem
		}
		t.add(w.Name, w.Branch, strconv.Itoa(w.Ahead), strconv.Itoa(w.Behind), dirty, c.at.near(w.Path))
	}
	c.out.printf("\n")
	t.print(c.out)

	return nil
}
