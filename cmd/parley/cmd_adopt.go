package main

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/place"
	"parley/internal/sh"
)

type adoptCommand struct{}

func (a adoptCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adopt [NAME]",
		Short: "Make an agent of a program in your own tmux",
		Long: `Makes an agent of a program that already runs in a pane of your own tmux: this pane,
or the one that --pane names. It sets two options of that pane and changes nothing else in
your tmux. parley never ends the program; parley leave NAME releases it.`,
		Example: `  parley adopt coder                  # run by the agent itself, in its pane
  parley adopt coder --pane %3        # from another pane of the same tmux
  parley adopt --pane %3 --socket /tmp/tmux-1000/default --profile claude`,
	}

	flags := []string{"profile", "pane", "socket"}
	for _, field := range parley.SpecFields(&parley.AgentSpec{}) {
		flags = append(flags, field.Name+"="+field.Flag)
	}
	read := addFlags(cmd, "adopt_agent", flags)
	cmd.Flag("pane").Usage = "id of its pane, such as %3 (default: this pane)"
	cmd.Flag("socket").Usage = "socket of that tmux (default: this tmux, or tmux's own default)"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		if len(args) > 0 {
			values.Set("name", args[0])
		}
		if err := a.findPane(c.at, cmd, values); err != nil {
			return err
		}
		return a.run(cmd.Context(), c, values)
	}

	profiles := func(*cobra.Command) []string { return completer{c}.profiles() }
	panes := func(cmd *cobra.Command) []string { return a.panes(cmd, userTmux{c.at.env}) }
	_ = cmd.RegisterFlagCompletionFunc("profile", offer(profiles))
	_ = cmd.RegisterFlagCompletionFunc("pane", offer(panes))
	cmd.ValidArgsFunction = cobra.NoFileCompletions

	return cmd
}

func (a adoptCommand) run(ctx context.Context, c *cli, values url.Values) error {
	res, err := call[parley.AdoptAgentResult](ctx, c, "adopt_agent", values)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	c.out.printf("%s adopted (agent %s, %s in pane %s); parley leave %s releases it.\n",
		c.out.paint(bold, res.Name), parley.Short(res.AgentID), res.Program, res.Pane, res.Name)
	if res.NativeTool != "" {
		c.out.printf("It does not report to parley: what it sends with its own tool %s goes round the record and "+
			"every pause.\n", res.NativeTool)
	}
	return c.out.printLine(a.addMCPHint(res))
}

// findPane fills in the pane and the socket from where this command runs.
func (adoptCommand) findPane(s *surroundings, cmd *cobra.Command, values url.Values) error {
	user := userTmux{s.env}
	if !values.Has("pane") {
		pane := s.env.Get("TMUX_PANE")
		if pane == "" || user.around() == "" {
			return misused(cmd, errors.New("this is not a tmux pane; name the agent's pane with --pane"))
		}
		values.Set("pane", pane)
	}

	switch socket := values.Get("socket"); {
	case socket == "" && user.around() != "":
		values.Set("socket", user.around())
	case socket == "":
		values.Set("socket", filepath.Join(user.dir(), "default"))
	case !filepath.IsAbs(socket):
		values.Set("socket", filepath.Join(s.dir, socket))
	}

	return nil
}

// addMCPHint tells how to give an adopted agent parley's tools. parley does not change
// its configuration.
func (adoptCommand) addMCPHint(res *parley.AdoptAgentResult) string {
	if len(res.AddMCP) == 0 {
		return "To give it parley's tools, add this MCP server (stdio): " + sh.Line(abbreviate(res.MCP))
	}
	add := slices.Concat(res.AddMCP[:len(res.AddMCP)-len(res.MCP)], abbreviate(res.MCP))
	return "To give it parley's tools, unless it has them, run this and start it again: " + sh.Line(add)
}

// abbreviate drops the directory of this program if PATH leads to it.
func abbreviate(argv []string) []string {
	name := filepath.Base(argv[0])
	found, err := exec.LookPath(name)
	if err != nil {
		return argv
	}
	a, errA := os.Stat(found)
	b, errB := os.Stat(argv[0])
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return argv
	}
	return append([]string{name}, argv[1:]...)
}

// panes returns the panes of the tmux server that adopt would use.
func (adoptCommand) panes(cmd *cobra.Command, user userTmux) []string {
	socket := cmp.Or(cmd.Flag("socket").Value.String(), user.around(), filepath.Join(user.dir(), "default"))

	ctx, cancel := context.WithTimeout(cmd.Context(), 500*time.Millisecond)
	defer cancel()

	list := exec.CommandContext(ctx, "tmux", "-N", "-S", socket, "list-panes", "-a", "-F",
		"#{pane_id}\t#{pane_current_command} in #{session_name}:#{window_index}")
	list.Env = user.env

	out, err := list.Output()
	if err != nil {
		return nil
	}

	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

type leaveCommand struct{}

func (l leaveCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "leave [NAME…]",
		Short: "Release adopted agents",
		Long: `Releases adopted agents; without a name, the one in this pane. The program keeps running,
and parley's options are removed from its pane. A mailbox can leave too: its key ends.`,
		Example: "  parley leave coder",
	}

	read := addFlags(cmd, "stop_agent", []string{"reason"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		team, err := call[parley.AgentStatusResult](cmd.Context(), c, "get_agent_status", nil)
		if err != nil {
			return err
		}

		if len(args) == 0 {
			name, err := l.agentHere(c.at, cmd, team.Agents)
			if err != nil {
				return err
			}
			args = []string{name}
		}

		return c.out.forEach(args, func(name string) error {
			for _, a := range team.Agents {
				named := (parley.Caller{ID: a.ID, Name: a.Name}).Is(name)
				if named && a.Kind == parley.KindTerminal && !a.Adopted() {
					return parley.Errorf(parley.InvalidArgument,
						"%s was launched by parley and cannot run without it", a.Name).
						Suggest("End it with: parley stop %s", a.Name)
				}
			}

			return stopping{c}.stop(cmd.Context(), name, read())
		})
	}
	cmd.ValidArgsFunction = firstAgents(-1).by(completer{c})

	return cmd
}

// agentHere returns the name of the agent that was adopted in this pane.
func (leaveCommand) agentHere(s *surroundings, cmd *cobra.Command, agents []parley.AgentStatus) (string, error) {
	socket, pane := place.RealPath(userTmux{s.env}.around()), s.env.Get("TMUX_PANE")
	for _, a := range agents {
		if a.Adopted() && a.Pane == pane && place.RealPath(a.Socket) == socket && a.State != parley.StateTerminated {
			return a.Name, nil
		}
	}
	return "", misused(cmd, errors.New("no agent was adopted in this pane; name the agent to release"))
}
