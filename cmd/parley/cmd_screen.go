package main

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"parley/orchestrator/terminal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/demoagent"
	"parley/mcpserver"
	"parley/tmux"
	"parley/tui"
)

func attachCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "attach NAME",
		Short:   "Show an agent's terminal in this one; " + tmux.ReturnKey + " comes back",
		Example: "  parley attach coder",
		Args:    usage(cobra.ExactArgs(1)),
	}

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		res, err := invoke[parley.AttachInfoResult](cmd.Context(), c, "get_attach_info", url.Values{"agent": args})
		if err != nil {
			return err
		}
		if c.json {
			return c.printJSON(res)
		}

		if !isTerminal(c.in) || !isTerminal(c.out) {
			return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
				Suggest("Use parley screen %s to print its screen, or run in a terminal: %s", res.Name, strings.Join(res.Command, " "))
		}

		attach, err := tmuxClient(c, attachArgs(c, res))
		if err != nil {
			return err
		}
		if !res.Adopted {
			fmt.Fprintf(c.err, "%s brings you back.\n", returnKey(cmd.Context(), c, res.Socket))
		}

		return syscall.Exec(attach.Path, attach.Args, attach.Env)
	}

	return c.withAgents(cmd, 1)
}

// attachArgs is the command that shows an agent's terminal: within the tmux that it is in,
// a client goes there, since a session cannot be shown inside itself.
func attachArgs(c *cli, res *parley.AttachInfoResult) []string {
	if around := c.tmuxAround(); res.Adopted && around != "" && daemon.RealPath(around) == daemon.RealPath(res.Socket) {
		return []string{res.Command[0], "-S", res.Socket, "switch-client", "-t", res.Pane}
	}
	return res.Command
}

// tmuxClient is a tmux client for this terminal. With TMUX in its environment, tmux
// refuses what would mirror itself without end. Within another server nothing does,
// and tmux may refuse all the same: it takes this terminal for one of its own when a
// pane whose program has ended had the same number.
func tmuxClient(c *cli, argv []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, parley.Errorf(parley.TmuxUnavailable, "%s cannot be found: %w", argv[0], err).
			Suggest("Install tmux 3.2 or later.")
	}

	cmd := exec.Command(path, argv[1:]...)
	cmd.Env = c.env
	if i := slices.Index(argv, "-S"); i >= 0 && daemon.RealPath(argv[i+1]) != daemon.RealPath(c.tmuxAround()) {
		cmd.Env = slices.DeleteFunc(
			slices.Clone(c.env),
			func(entry string) bool { return strings.HasPrefix(entry, "TMUX=") },
		)
	}

	return cmd, nil
}

func tuiCommand(c *cli) *cobra.Command {
	var link screenLink
	cmd := &cobra.Command{
		Use:     "tui",
		Short:   "Open the screen (parley alone does the same)",
		Example: "  parley tui\n  parley tui --screen needs\n  parley tui --message 5f0c0007",
		Args:    usage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return openScreen(cmd.Context(), c, link) },
	}
	link.flags(cmd)
	return cmd
}

// screenOrHelp runs parley without a command: the screen on a terminal, else help.
func screenOrHelp(cmd *cobra.Command, c *cli) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return cmd.Help()
	}
	return openScreen(cmd.Context(), c, screenLink{})
}

func openScreen(ctx context.Context, c *cli, link screenLink) error {
	if err := link.check(); err != nil {
		return err
	}

	if !isTerminal(c.in) || !isTerminal(c.out) {
		return parley.Errorf(parley.InvalidArgument, "the screen needs a terminal").
			Suggest("Use parley log -f to see the traffic without one.")
	}

	if c.env.Get("GOGC") == "" {
		debug.SetGCPercent(screenGC)
	}

	at, err := c.place()
	if err != nil {
		return err
	}

	screen, notify, err := loadScreenSettings(c, at)
	if err != nil {
		return err
	}

	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	to, err := link.target(ctx, service)
	if err != nil {
		return err
	}

	o := tui.Options{Open: to,
		Examine: func(ctx context.Context) []tui.Finding { return runDoctor(ctx, c) }, Version: buildVersion(), Notify: notify, Still: screen.ReducedMotion, Mouse: screen.Mouse,
		Service: service, Workspace: at.Root, Follow: service.Events, Environ: c.env, Now: c.now,
		ReturnKey: strings.NewReplacer("Ctrl-", "ctrl+", "Alt-", "alt+").
			Replace(returnKey(ctx, c, at.TmuxSocket(c.env))),
		Attach: func(name string) (*exec.Cmd, error) { return attachClient(ctx, c, service, name) },
	}

	if c.tmuxAround() != "" {
		o.Beside = func(name string) (*exec.Cmd, error) { return attachInWindow(ctx, c, service, name) }
	}

	return tui.Run(ctx, o, c.in, c.out)
}

// screenGC is how much of its heap the screen lets be garbage, in percent. What it keeps
// is small next to what it draws with: with 200 agents and 100,000 messages, paged
// through, it takes 53 MB this way, and 61 with Go's own 100.
const screenGC = 40

// attachInWindow shows a terminal in a new window of the person's own tmux: a client
// cannot cross from one server to another, but it can run within it. Nothing that is
// there already changes, and the window goes when the client leaves.
func attachInWindow(ctx context.Context, c *cli, service *client.Client, name string) (*exec.Cmd, error) {
	attach, err := attachClient(ctx, c, service, name)
	if err != nil || slices.Contains(attach.Args, "switch-client") {
		return attach, err
	}
	argv := append([]string{"new-window", "-n", name, "--", "env", "-u", "TMUX", attach.Path}, attach.Args[1:]...)
	cmd := exec.Command(attach.Path, argv...)
	cmd.Env = c.env
	return cmd, nil
}

// attachWithin is longer than the daemon waits for tmux, so that it can say what it saw.
const attachWithin = 15 * time.Second

func attachClient(ctx context.Context, c *cli, service *client.Client, name string) (*exec.Cmd, error) {
	ctx, cancel := context.WithTimeout(ctx, attachWithin)
	defer cancel()
	res, err := service.GetAttachInfo(ctx, parley.AttachInfoRequest{Agent: name})
	if err != nil {
		return nil, err
	}
	return tmuxClient(c, attachArgs(c, res))
}

// bridgeReconnect is how long an agent's MCP call waits for a daemon that is
// away: long enough for a restart by hand.
const bridgeReconnect = 60 * time.Second

func mcpCommand(c *cli) *cobra.Command {
	var toolsets string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Speak MCP on standard input and output, for an agent",
		Long: `Speaks MCP on standard input and output and passes the calls on to the daemon.
Who calls is known from PARLEY_KEY, or else from the terminal that the agent runs in.`,
		Example: `  claude mcp add parley -- parley mcp
  parley mcp --toolsets messages,team    # no more tools than these`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			sets, err := mcpserver.ParseToolsets(toolsets)
			if err != nil {
				return err
			}

			at, err := c.place()
			if err != nil {
				return err
			}

			info, err := c.ensureDaemon(cmd.Context(), at)
			if err != nil {
				return err
			}

			all, own, err := daemon.ParseToolsets(info.Toolsets, info.AgentToolsets)
			if err != nil {
				return err // the daemon is a newer one, which knows more of them
			}

			service := client.New(
				client.Options{Socket: info.Socket, Key: c.env.Get("PARLEY_KEY"), Retry: bridgeReconnect},
			)

			defer service.Close()

			return mcpserver.ServeStdio(
				cmd.Context(),
				mcpserver.Options{Service: service, Version: buildVersion(), Toolsets: sets.Within(all), Agents: own},
				c.in,
				c.out,
				bridgeCaller(cmd.Context(), c, service),
			)
		},
	}

	cmd.Flags().
		StringVar(&toolsets, "toolsets", "", "offer only these groups of tools: messages, team, threads, files, orchestrate")
	return cmd
}

// bridgeCaller is the caller as far as this side knows: the daemon decides, the name
// is only told to the model.
func bridgeCaller(ctx context.Context, c *cli, service parley.AgentService) parley.Caller {
	caller, id := undecided, c.env.Get("PARLEY_AGENT_ID")
	if id != "" {
		caller.Name, caller.ID, caller.Operator, caller.Orchestrate = c.env.Get("PARLEY_AGENT"), id, false, true
	}

	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()

	res, err := service.GetAgentStatus(ctx, parley.AgentStatusRequest{})
	if err != nil {
		return caller
	}

	for _, a := range res.Agents {
		if a.Name == res.You { // an adopted agent has nothing in its environment
			human := a.Kind == parley.KindHuman
			caller = parley.Caller{ID: a.ID, Name: a.Name, Kind: a.Kind, Operator: human, Orchestrate: a.Orchestrate}
		}
	}

	return caller
}

func execCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "_exec FILE", Hidden: true, Args: usage(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error { return terminal.Exec(args[0]) },
	}
}

func demoAgentCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "demo-agent", Hidden: true, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			status := demoagent.Main(
				cmd.Context(),
				demoagent.Program{Args: args, Stdin: c.in, Stdout: c.out, Stderr: c.err,
					Env: c.env, Executable: c.executable},
			)
			if status != 0 {
				return exitCode(status)
			}

			return nil
		},
	}
}
