package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

// declareWorktree adds what the workspace's parley.yaml says of new worktrees, if the launch asks
// for one and the user trusts the file.
func (c *cli) declareWorktree(r *parley.LaunchAgentRequest) {
	if r.Worktree == "" {
		return
	}
	at, err := c.place()
	if err != nil {
		return // the launch says what is wrong
	}
	t, err := daemon.Load(at, c.env)
	if err != nil {
		return
	}

	t.Prepare(r)
	if slices.ContainsFunc(t.Withheld, func(claim daemon.Claim) bool { return claim.Key == "worktrees" }) {
		fmt.Fprintln(c.err, "parley.yaml is not trusted, so its worktrees: part was left out; see parley trust.")
	}
}

func diffCommand(c *cli) *cobra.Command {
	return c.withAgents(command(c, operation[parley.DiffAgentResult]{
		op:    "diff_agent",
		use:   "diff NAME",
		short: "Show what an agent has changed, and what is not merged",
		example: `  parley diff coder
  parley diff coder --stat`,
		args:  cobra.ExactArgs(1),
		flags: []string{"stat"},
		fill:  positional("agent"),
		print: func(o *output, res *parley.DiffAgentResult) error {
			for line := range strings.Lines(res.Diff) {
				if err := o.printLine(o.paint(diffStyle(line), strings.TrimSuffix(line, "\n"))); err != nil {
					return err
				}
			}
			if res.Truncated {
				o.printf("The diff is longer; see all of it: git -C %s diff %s\n", parley.ShellWord(res.Dir), res.Since)
			}

			switch {
			case len(res.Untracked) > 0:
				files := parley.CleanLine(strings.Join(res.Untracked, ", "))
				return o.printLine("New files that git does not track: " + files)
			case res.Diff == "":
				return o.printLine(res.Name + " has changed nothing.")
			}
			return nil
		},
	}), 1)
}

// mergeCommand merges an agent's branch. The agent goes on, unless its worktree is to be removed.
func mergeCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "merge NAME",
		Short: "Merge what an agent has committed into your branch",
		Long: `Merges an agent's branch into the branch that it came from. The agent goes on in its worktree, unless you remove it.
Nothing is merged while files are not committed, or where the two conflict: --preview shows that, and changes nothing.`,
		Example: `  parley merge coder --preview
  parley merge coder
  parley merge coder --squash --remove    # one commit, and the worktree away`,
		Args: usage(cobra.ExactArgs(1)),
	}

	preview := cmd.Flags().Bool("preview", false, "only show what a merge would do")
	squash := cmd.Flags().Bool("squash", false, "all as one commit; with --remove")
	finish := addFlags(cmd, "finish_worktree", []string{"how", "remove", "force"})
	cmd.MarkFlagsMutuallyExclusive("squash", "how")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *preview {
			return mergePreview{c}.show(cmd.Context(), args[0])
		}

		how := finish()
		how.Set("merge", "true")
		if *squash {
			how.Set("how", string(parley.MergedSquash))
		}
		if !how.Has("remove") {
			how.Set("keep", "true")
		}
		return finishWorktree(cmd.Context(), c, args[0], how)
	}

	return c.withAgents(cmd, 1)
}

// mergePreview prints what a merge would do.
type mergePreview struct{ *cli }

func (c mergePreview) show(ctx context.Context, name string) error {
	res, err := invoke[parley.PreviewMergeResult](ctx, c.cli, "preview_merge", url.Values{"agent": {name}})
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(res)
	}

	possible := "a merge commit is possible"
	switch {
	case res.Refused != "":
		possible = "a merge is not possible now"
	case res.Behind == 0:
		possible = "a fast-forward is possible"
	}
	c.printf("%s into %s: %d ahead, %d behind; %s.\n", res.Worktree.Branch, res.Worktree.Base, res.Ahead, res.Behind,
		possible)
	list := func(what string, names []string) {
		if len(names) > 0 {
			c.printf("%s: %s\n", what, parley.CleanLine(strings.Join(names, ", ")))
		}
	}
	list("Conflicts", res.Conflicts)
	list("Not committed", res.Open)
	list("Ignored by git, and nowhere else", res.Ignored)
	for _, s := range res.Shared {
		list(s.Name+" changes, too", s.Files)
	}
	if res.Refused != "" {
		return c.printLine("Not now: " + res.Refused)
	}

	return nil
}

// diffStyle returns how a line of a diff is painted.
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

// finishWorktree stops an agent, and merges or removes its worktree.
func finishWorktree(ctx context.Context, c *cli, name string, how url.Values) error {
	how.Set("agent", name)
	res, err := invoke[parley.FinishWorktreeResult](ctx, c, "finish_worktree", how)
	if e, ok := errors.AsType[*parley.Error](err); ok && e.Details[parley.NeedsForce] != nil && c.canAsk() {
		if !c.agreed(parley.CleanLine(e.Message) + ". Remove it all the same? [y/N] ") {
			return parley.Errorf(e.Code, "nothing was removed").Suggest("%s", e.Action)
		}
		how.Set("force", "true")
		res, err = invoke[parley.FinishWorktreeResult](ctx, c, "finish_worktree", how)
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

// printWorktrees prints the worktrees of the agents that were shown, if there are any.
func printWorktrees(ctx context.Context, c *cli, shown *parley.AgentStatusResult) error {
	agents := shown.Agents
	if !slices.ContainsFunc(agents, func(a parley.AgentStatus) bool { return a.Worktree != nil }) {
		return nil
	}
	res, err := invoke[parley.WorktreesResult](ctx, c, "list_worktrees", nil)
	if err != nil {
		return err
	}

	var t table
	t.headed, t.fits = true, []fit{inner, inner, whole, whole, prose, inner}
	t.add(c.heads("WORKTREE OF", "BRANCH", "AHEAD", "BEHIND", "NOT COMMITTED", "IN")...)
	for _, w := range res.Worktrees {
		if !slices.ContainsFunc(agents, func(a parley.AgentStatus) bool { return a.ID == w.AgentID }) {
			continue
		}
		dirty := strconv.Itoa(w.Dirty)
		if w.Problem != "" {
			dirty = "? " + w.Problem
		}
		t.add(w.Name, w.Branch, strconv.Itoa(w.Ahead), strconv.Itoa(w.Behind), dirty, near(&c.surroundings, w.Path))
	}
	c.printf("\n")
	t.print(&c.output)

	return nil
}
