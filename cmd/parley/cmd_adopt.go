package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func adoptCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "adopt [NAME]",
		Short: "Make an agent of a program that runs in your own tmux",
		Long: `Makes an agent of a program that runs already in a pane of your own tmux: this one,
or the one that --pane names. Nothing of your tmux is changed but two options of that
pane, and parley never ends the program: parley leave NAME lets it go.`,
		Example: `  parley adopt coder                  # run by the agent itself, in its pane
  parley adopt coder --pane %3        # from another pane of the same tmux
  parley adopt --pane %3 --socket /tmp/tmux-1000/default --profile claude`,
		Args: usage(cobra.MaximumNArgs(1)),
	}

	read := addFlags(cmd, "adopt_agent", []string{"profile", "pane", "socket", "role", "description",
		"capabilities=capability", "groups=group", "orchestrate", "interruptible"})
	cmd.Flag("pane").Usage = "id of the pane that it runs in, such as %3 (default: this pane)"
	cmd.Flag("socket").Usage = "socket of that tmux (default: this tmux, or else tmux's own default)"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		if len(args) > 0 {
			values.Set("name", args[0])
		}
		if err := findPane(c, cmd, values); err != nil {
			return err
		}

		res, err := invoke[parley.AdoptAgentResult](cmd.Context(), c, "adopt_agent", values)
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(res)
		}

		c.printf("%s adopted (agent %s, %s in pane %s); parley leave %s lets it go.\n",
			c.paint(bold, res.Name), parley.Short(res.AgentID), res.Program, res.Pane, res.Name)
		return c.printLine(addMCPHint(c, res))
	}

	_ = cmd.RegisterFlagCompletionFunc("profile", offer(func(*cobra.Command) []string { return completeProfiles(c) }))
	_ = cmd.RegisterFlagCompletionFunc("pane", offer(func(cmd *cobra.Command) []string { return completePanes(cmd, c) }))
	cmd.ValidArgsFunction = cobra.NoFileCompletions

	return cmd
}

// findPane completes which pane is meant by where this command runs.
func findPane(c *cli, cmd *cobra.Command, values url.Values) error {
	if !values.Has("pane") {
		pane := c.env.Get("TMUX_PANE")
		if pane == "" || c.tmuxAround() == "" {
			return misused(cmd, fmt.Errorf("this is not a pane of tmux; name the agent's pane with --pane"))
		}
		values.Set("pane", pane)
	}

	switch socket := values.Get("socket"); {
	case socket == "" && c.tmuxAround() != "":
		values.Set("socket", c.tmuxAround())
	case socket == "":
		values.Set("socket", filepath.Join(c.tmuxDir(), "default"))
	case !filepath.IsAbs(socket):
		values.Set("socket", filepath.Join(c.dir, socket))
	}

	return nil
}

// tmuxAround is the socket of the tmux that this command runs in, "" if in none.
func (c *cli) tmuxAround() string {
	socket, _, _ := strings.Cut(c.env.Get("TMUX"), ",")
	return socket
}

// tmuxDir is where tmux keeps the sockets that have names.
func (c *cli) tmuxDir() string {
	dir := c.env.Get("TMUX_TMPDIR")
	if dir == "" {
		dir = "/tmp"
	}
	return filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()))
}

// addMCPHint is what a person does to give the agent parley's tools: its
// configuration is theirs.
func addMCPHint(c *cli, res *parley.AdoptAgentResult) string {
	if len(res.AddMCP) == 0 {
		return "To give it parley's tools, add this MCP server (stdio) to it: " + commandLine(abbreviate(c, res.MCP))
	}
	add := slices.Concat(res.AddMCP[:len(res.AddMCP)-len(res.MCP)], abbreviate(c, res.MCP))
	return "To give it parley's tools, if it has them not yet, run this and start it again: " + commandLine(add)
}

// abbreviate names this program as a person would, if their PATH leads to it.
func abbreviate(c *cli, argv []string) []string {
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

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=@%+,-]+$`)

// commandLine writes words as a shell reads them.
func commandLine(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		if words[i] = word; !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// completePanes returns the panes of the tmux server that adopt would use.
func completePanes(cmd *cobra.Command, c *cli) []string {
	socket := cmp.Or(cmd.Flag("socket").Value.String(), c.tmuxAround(), filepath.Join(c.tmuxDir(), "default"))

	ctx, cancel := context.WithTimeout(cmd.Context(), 500*time.Millisecond)
	defer cancel()

	list := exec.CommandContext(ctx, "tmux", "-N", "-S", socket, "list-panes", "-a", "-F",
		"#{pane_id}\t#{pane_current_command} in #{session_name}:#{window_index}")
	list.Env = c.env

	out, err := list.Output()
	if err != nil {
		return nil
	}

	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// completeProfiles returns the names of the workspace's profiles.
func completeProfiles(c *cli) []string {
	set, err := c.profileSet()
	if err != nil {
		return nil
	}
	return set.Names()
}

func leaveCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "leave [NAME…]",
		Short: "Let adopted agents go: they leave the team and run on",
		Long: `Lets adopted agents go; without a name the one in this pane. Its program runs on, and
nothing of parley stays on its pane. A mailbox leaves too: its key is worth nothing then.`,
		Example: "  parley leave coder",
		Args:    usage(cobra.ArbitraryArgs),
	}

	read := addFlags(cmd, "stop_agent", []string{"reason"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		team, err := invoke[parley.AgentStatusResult](cmd.Context(), c, "get_agent_status", nil)
		if err != nil {
			return err
		}

		if len(args) == 0 {
			name, err := agentHere(c, cmd, team.Agents)
			if err != nil {
				return err
			}
			args = []string{name}
		}

		return forEach(c, args, func(name string) error {
			for _, a := range team.Agents {
				named := (parley.Caller{ID: a.ID, Name: a.Name}).Is(name)
				if named && a.Kind == parley.KindTerminal && !a.Adopted() {
					return parley.Errorf(parley.InvalidArgument, "%s was launched by parley and cannot run on without it", a.Name).
						Suggest("End it with: parley stop %s", a.Name)
				}
			}

			return stopAgent(cmd.Context(), c, name, read())
		})
	}

	return c.withAgents(cmd, -1)
}

// agentHere is the name of the agent that was adopted in this pane.
func agentHere(c *cli, cmd *cobra.Command, agents []parley.AgentStatus) (string, error) {
	socket, pane := daemon.RealPath(c.tmuxAround()), c.env.Get("TMUX_PANE")
	for _, a := range agents {
		if a.Adopted() && a.Pane == pane && daemon.RealPath(a.Socket) == socket && a.State != parley.StateTerminated {
			return a.Name, nil
		}
	}
	return "", misused(cmd, fmt.Errorf("no agent was adopted in this pane; name the one that is to leave"))
}

// stopAgent ends one agent, or lets it go, and says which it was.
func stopAgent(ctx context.Context, c *cli, name string, values url.Values) error {
	values.Set("agent", name)
	res, err := invoke[parley.StopAgentResult](ctx, c, "stop_agent", values)
	switch {
	case err != nil:
		return err
	case c.json:
		return c.printJSON(res)
	case res.Released:
		return c.printLine(res.Name + " has left the team; its program runs on.")
	case res.Ended == 0:
		return c.printLine(res.Name + " is stopped; nothing of it ran.")
	}

	return c.printLine(fmt.Sprintf("%s stopped (%s ended).", res.Name, count(res.Ended, "process")))
}
