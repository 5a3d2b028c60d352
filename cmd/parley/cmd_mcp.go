package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/demoagent"
	"parley/internal/wait"
	"parley/mcpserver"
	"parley/op"
	"parley/orchestrator/terminal"
	"parley/tmux"
)

// bridgeReconnect is how long an agent's MCP call waits for a daemon that does not run:
// long enough for a restart by hand.
const bridgeReconnect = 60 * time.Second

// bridgeGarbage is how much garbage a bridge may hold, in percent of what is in use: there is one for each agent, and
// it mostly waits.
const bridgeGarbage = 25

// mcpCommand serves MCP to an agent.
type mcpCommand struct{ toolsets string }

func (m *mcpCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP on standard input and output, for an agent",
		Long: `Serves MCP on standard input and output and passes the calls on to the daemon.
PARLEY_KEY identifies the caller, or else the terminal in which the agent runs.`,
		Example: `  claude mcp add parley -- parley mcp
  parley mcp --toolsets messages,team    # only these tools`,
		RunE: func(cmd *cobra.Command, _ []string) error { return m.run(cmd.Context(), c) },
	}

	cmd.Flags().StringVar(&m.toolsets, "toolsets", "",
		"offer only these groups of tools: messages, team, threads, schedules, files, orchestrate")
	return cmd
}

func (m *mcpCommand) run(outer context.Context, c *cli) error {
	runtime.GOMAXPROCS(1) // with two, each collection wakes both threads, which took a third of the time of a call
	debug.SetGCPercent(bridgeGarbage)

	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	go endWithParent(ctx, cancel, os.Getppid)

	sets, err := mcpserver.ParseToolsets(m.toolsets)
	if err != nil {
		return err
	}

	info, err := c.daemonHere(outer)
	if err != nil {
		return err
	}

	all, own, err := daemon.ParseToolsets(info.Toolsets, info.AgentToolsets)
	if err != nil {
		return err // a newer daemon knows more toolsets
	}

	service := client.New(c.at.wayTo(info, bridgeReconnect))
	defer service.Close()

	return mcpserver.ServeStdio(ctx, mcpserver.Options{
		Service:  service,
		Version:  buildVersion(),
		Toolsets: sets.Within(all),
		Agents:   own,
	}, c.program.in, c.out.out, m.caller(outer, c.at.env, service))
}

// parentEvery is the interval between two looks at who the parent is.
const parentEvery = time.Second

// endWithParent calls end when the process that has started this one is gone, until ctx ends: something else may
// keep standard input open. A wrapper that is gone at the first look does not count.
func endWithParent(ctx context.Context, end func(), parent func() int) {
	first := 0
	for wait.Pause(ctx, parentEvery) == nil {
		now := parent()
		if first != 0 && now != first {
			end()
			return
		}
		first = now
	}
}

// caller returns the caller as far as this side knows. The daemon decides; the
// name is only for the model's instructions.
func (*mcpCommand) caller(ctx context.Context, env daemon.Environ, service parley.Service) parley.Caller {
	caller, id := undecided, env.Get(parley.AgentIDVariable)
	if id != "" {
		caller.Name, caller.ID, caller.Operator, caller.Orchestrate = env.Get(parley.AgentVariable), id, false, true
	}

	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()

	res, err := op.GetAgentStatus.Call(ctx, service, parley.AgentStatusRequest{})
	if err != nil {
		return caller
	}

	for _, a := range res.Agents {
		if a.Name == res.You { // an adopted agent has nothing in its environment
			human := a.Kind == parley.KindHuman
			caller = parley.Caller{
				ID: a.ID, Name: a.Name, Kind: a.Kind, Operator: human, Orchestrate: a.Orchestrate, Seal: res.YourSeal,
			}
		}
	}

	return caller
}

type execCommand struct{}

func (execCommand) declare(*cli) *cobra.Command {
	return &cobra.Command{
		Use:    "_exec FILE",
		Hidden: true,
		RunE:   func(_ *cobra.Command, args []string) error { return terminal.Exec(args[0]) },
	}
}

type keepCommand struct{}

func (keepCommand) declare(*cli) *cobra.Command {
	return &cobra.Command{
		Use:                tmux.KeepCommand + " COMMAND...",
		Hidden:             true,
		DisableFlagParsing: true,
		RunE:               func(_ *cobra.Command, args []string) error { return tmux.Keep(args) },
	}
}

type demoAgentCommand struct{}

func (demoAgentCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:                "demo-agent",
		Args:               cobra.ArbitraryArgs,
		Hidden:             true,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			p := demoagent.Program{Args: args, Stdin: c.program.in, Stdout: c.out.out, Stderr: c.out.err}
			if c.at.env.Get(parley.KeyVariable) != "" {
				p.Team = agentService{c.at}
			}
			if status := demoagent.Main(cmd.Context(), p); status != 0 {
				return exitCode(status)
			}

			return nil
		},
	}
}

// agentService is the service of the daemon to which an agent's program belongs. It starts none, says nothing on the
// terminal, and looks for the daemon at each call: the one before may have ended.
type agentService struct{ at *surroundings }

func (s agentService) Do(ctx context.Context, operation string, request any) (any, error) {
	info, _, err := s.at.reportsTo()
	if err != nil {
		return nil, err
	}
	if info == nil {
		return nil, parley.Errorf(parley.DaemonUnavailable, "the daemon does not run").
			Suggest("Start it: any command of parley does.")
	}

	service := s.at.clientOf(info)
	defer service.Close()
	return service.Do(ctx, operation, request)
}
