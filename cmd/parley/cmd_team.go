package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func upCommand(c *cli) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:     "up",
		Short:   "Launch the whole team of parley.yaml",
		Example: "  parley up\n  parley up -f teams/review.yaml",
		Args:    usage(cobra.NoArgs),
	}

	cmd.Flags().StringVarP(&file, "file", "f", "", "the team's file (default: parley.yaml of the workspace)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}

		path := at.TeamFile()
		if file != "" {
			path = file
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.dir, path)
			}
		}

		t, err := daemon.LoadTeam(path, true)
		if err != nil {
			return err
		}

		if len(t.Agents) == 0 {
			return parley.Errorf(parley.InvalidArgument, "%s names no agents", path).
				Suggest("List them under agents:, as parley.example.yaml does.")
		}

		return launchTeam(cmd.Context(), c, t, filepath.Dir(path))
	}

	return cmd
}

// launchTeam launches who is not there yet and reports each.
func launchTeam(ctx context.Context, c *cli, t *daemon.Team, base string) error {
	status, err := invoke[parley.AgentStatusResult](ctx, c, "get_agent_status", nil)
	if err != nil {
		return err
	}

	running := map[string]parley.AgentStatus{}
	for _, a := range status.Agents {
		if a.Kind == parley.KindTerminal && a.State.Live() {
			running[strings.ToLower(a.Name)] = a
		}
	}

	members := map[string]daemon.Agent{}
	var names []string
	for _, m := range t.Agents {
		members[m.Name] = m
		names = append(names, m.Name)
	}

	var launched []*parley.LaunchAgentResult
	err = forEach(c, names, func(name string) error {
		if a, ok := running[strings.ToLower(name)]; ok {
			return printRunning(c, a)
		}

		m := members[name]
		res, err := launchAgent(
			ctx, c,
			parley.LaunchAgentRequest{Name: m.Name, Profile: m.Profile, Command: m.Command, Dir: m.Dir,
				Role: m.Role, Description: m.Description, Capabilities: m.Capabilities, Groups: m.Groups, Orchestrate: m.Orchestrate, Interruptible: m.Interruptible},
			base,
			m.Size,
		)
		if err == nil {
			launched = append(launched, res)
		}

		return err
	})

	ended := watchLaunched(ctx, c, launched, "launched")
	if err == nil || ended == nil {
		return cmp.Or(err, ended)
	}

	c.fail(ended)

	return err
}

// printRunning reports an agent that need not be launched.
func printRunning(c *cli, a parley.AgentStatus) error {
	if !c.json {
		return c.printLine(c.paint(bold, a.Name) + " runs already.")
	}
	return c.printJSON(struct {
		parley.Answer
		AgentID string            `json:"agent_id"`
		Name    string            `json:"name"`
		State   parley.AgentState `json:"state"`
		Already bool              `json:"runs_already"`
	}{parley.OK, a.ID, a.Name, a.State, true})
}

func downCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "down",
		Short:   "Stop all agents and the daemon",
		Example: "  parley down\n  parley down --keep-agents    # only the daemon; the next one finds them again",
		Args:    usage(cobra.NoArgs),
	}

	read := addFlags(cmd, "shut_down", []string{"keep_agents"})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}

		// Agents may have outlived their daemon: then one is started to end them.
		if daemon.Running(cmd.Context(), at) == nil && !tmuxRuns(cmd.Context(), c, at) {
			if c.json {
				return c.printJSON(parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}})
			}
			return c.printLine("Nothing runs in " + at.Root + ".")
		}

		res, err := invoke[parley.ShutDownResult](cmd.Context(), c, "shut_down", read())
		if err != nil {
			return err
		}

		ctx, cancel := context.WithTimeoutCause(
			cmd.Context(),
			daemon.EndWithin+daemon.StartWithin,
			parley.Errorf(parley.DaemonUnavailable, "the daemon answered, and has not ended yet").
				Suggest("Look into %s.", at.Log()),
		)

		defer cancel()

		if err := daemon.AwaitGone(ctx, at); err != nil {
			return err
		}
		if c.json {
			return c.printJSON(res)
		}

		return c.printLine(downSentence(res))
	}

	return cmd
}

func downSentence(res *parley.ShutDownResult) string {
	var parts []string
	if len(res.Stopped) > 0 {
		parts = append(parts, "Stopped "+strings.Join(res.Stopped, ", "))
	}

	switch n := len(res.Left); {
	case n == 1:
		parts = append(parts, res.Left[0]+" runs on in its own tmux")
	case n > 1:
		parts = append(parts, strings.Join(res.Left, ", ")+" run on in their own tmux")
	}

	if len(parts) == 0 {
		return "The daemon has ended."
	}

	return strings.Join(append(parts, "the daemon has ended."), "; ")
}

// tmuxRuns reports whether the workspace's tmux server runs.
func tmuxRuns(ctx context.Context, c *cli, at daemon.Place) bool {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", at.TmuxSocket(c.env))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was said
	return true
}

func statusCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "See what the daemon runs, where, and how it is doing",
		Example: "  parley status\n  parley status --tmux",
		Args:    usage(cobra.NoArgs),
	}

	line := cmd.Flags().String("tmux", "", "print one line for the status bar of tmux: with words, or --tmux=short")
	cmd.Flag("tmux").NoOptDefVal = lineWords
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flag("tmux").Changed {
			return printStatusLine(cmd.Context(), c, *line)
		}

		at, err := c.place()
		if err != nil {
			return err
		}

		if daemon.Running(cmd.Context(), at) == nil {
			return parley.Errorf(parley.DaemonUnavailable, "no daemon runs in %s", at.Root).With("log", at.Log()).
				Suggest("parley launch, parley up or parley serve starts it; the last one's log is %s.", at.Log())
		}

		res, err := invoke[parley.WorkspaceStatusResult](cmd.Context(), c, "get_workspace_status", nil)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(res)
		}

		printStatus(c, res)

		return nil
	}

	return cmd
}

func printStatus(c *cli, s *parley.WorkspaceStatusResult) {
	var t table
	for _, row := range [][2]string{
		{"workspace", s.Workspace},
		{"daemon", fmt.Sprintf("%s, pid %d, up %s", s.Version, s.PID, c.ago(s.StartedAt))},
		{"agents", counts(s.Agents, "none")},
		{"needs you", needsYou(s.Needs)},
		{"messages", paused(s.Paused)},
		{"deliveries", counts(s.Deliveries, "nothing waits")},
		{"events", strconv.FormatInt(s.LastEvent, 10)},
		{"socket", s.Socket},
		{"http", s.HTTP},
		{"tmux", strings.TrimSpace(s.TmuxVersion + "  " + s.TmuxSocket)},
		{"database", s.Database},
		{"log", s.Log},
	} {
		if row[1] != "" {
			t.add(c.paint(faint, row[0]), row[1])
		}
	}

	for _, w := range s.Warnings {
		t.add(c.paint(yellow, "warning"), w)
	}

	t.print(c.out)
}

// needsYou says that something does, and how it is seen; nothing when nothing does.
func needsYou(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 thing; parley needs shows it"
	}
	return fmt.Sprintf("%d things; parley needs shows them", n)
}

// paused says that messages are, and how they go on; nothing when they go.
func paused(p *parley.Pause) string {
	if p == nil {
		return ""
	}
	return p.Words() + "; parley resume lets them go on"
}

// counts lists how many are in each state, by name.
func counts(m map[string]int, none string) string {
	var parts []string
	for state, n := range m {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}

	slices.SortFunc(parts, func(a, b string) int {
		_, a, _ = strings.Cut(a, " ")
		_, b, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})

	if parts == nil {
		return none
	}

	return strings.Join(parts, ", ")
}

func backupCommand(c *cli) *cobra.Command {
	return command(c, operation[parley.BackupResult]{
		op: "backup", use: "backup FILE", short: "Write a consistent copy of the database while everything runs",
		example: "  parley backup monday.db", args: cobra.ExactArgs(1),
		fill: func(args []string, to url.Values) error {
			path := args[0]
			if !filepath.IsAbs(path) {
				path = filepath.Join(c.dir, path)
			}
			to.Set("path", path)
			return nil
		},
		print: func(c *cli, res *parley.BackupResult) error {
			return c.printLine(fmt.Sprintf("Copied to %s (%d bytes).", res.Path, res.Size))
		},
	})
}
