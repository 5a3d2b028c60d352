package main

import (
	"cmp"
	"context"
	"net"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func upCommand(c *cli) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Launch the team of parley.yaml",
		Example: `  parley up
  parley up -f teams/review.yaml`,
		Args: usage(cobra.NoArgs),
	}

	cmd.Flags().StringVarP(&file, "file", "f", "", "the team's file (default: the workspace's parley.yaml)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}

		path := at.TeamFile()
		if file != "" {
			path = c.absolute(file)
		}

		t, err := daemon.LoadTeam(path, true)
		if err != nil {
			return err
		}

		if len(t.Agents) == 0 {
			return parley.Errorf(parley.InvalidArgument, "%s names no agents", path).
				Suggest("List them under agents:, as parley.example.yaml does.")
		}

		if c.canAsk() {
			err = c.trust(t, false)
		} else if !daemon.TrustOf(c.env).Has(t) {
			err = daemon.NotTrusted(t)
		}
		if err != nil {
			return err
		}

		if _, err := c.ensureDaemon(cmd.Context(), at); err != nil {
			return err
		}

		return launchTeam(cmd.Context(), c, t, filepath.Dir(path))
	}

	return cmd
}

// launchTeam launches the agents that do not run yet and reports each.
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

	agents := map[string]daemon.Agent{}
	var names []string
	for _, a := range t.Agents {
		agents[a.Name] = a
		names = append(names, a.Name)
	}

	var launched []*parley.LaunchAgentResult
	err = forEach(c, names, func(name string) error {
		if a, ok := running[strings.ToLower(name)]; ok {
			return printRunning(c, a)
		}

		a := agents[name]
		prompt, err := c.promptText(a.Prompt, base)
		if err != nil {
			return err
		}

		res, err := launchAgent(ctx, c, t.WithWorktree(a, parley.LaunchAgentRequest{
			Name:          a.Name,
			Profile:       a.Profile,
			Command:       a.Command,
			Dir:           a.Dir,
			Env:           a.Env,
			Model:         a.Model,
			Prompt:        prompt,
			Role:          a.Role,
			Description:   a.Description,
			Capabilities:  a.Capabilities,
			Groups:        a.Groups,
			Orchestrate:   a.Orchestrate,
			Interruptible: a.Interruptible,
		}), base, a.Size)
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

// printRunning reports an agent that already runs.
func printRunning(c *cli, a parley.AgentStatus) error {
	if !c.json {
		return c.printLine(c.paint(bold, a.Name) + " is already running.")
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

		// If agents have outlived their daemon, a new one is started to end them.
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
			parley.Errorf(parley.DaemonUnavailable, "the daemon is still ending").
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
		parts = append(parts, res.Left[0]+" keeps running in its own tmux")
	case n > 1:
		parts = append(parts, strings.Join(res.Left, ", ")+" keep running in their own tmux")
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
	_ = conn.Close()
	return true
}
