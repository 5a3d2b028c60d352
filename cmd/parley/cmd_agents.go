package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui"
)

type stopCommand struct{}

func (stopCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "stop NAME…",
		Aliases: []string{"kill"},
		Short:   "Stop agents and end all their processes",
		Long: `Stops agents and ends all their processes. A git worktree that parley made for one is kept, unless
you say what to do with it. Work that is not committed, or not merged, is never thrown away without --discard,
and files that git ignores only once you agree, or with --force.`,
		Example: `  parley stop coder reviewer
  parley stop coder --merge --remove    # its branch goes into yours, and its worktree away`,
	}

	read := addFlags(cmd, "stop_agent", []string{"reason"})
	finish := addFlags(cmd, "finish_worktree", []string{"merge", "how", "remove", "discard", "force"})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.out.forEach(args, func(name string) error {
			if how := finish(); len(how) > 0 {
				return stopping{c}.finish(cmd.Context(), name, how)
			}
			return stopping{c}.stop(cmd.Context(), name, read())
		})
	}
	cmd.ValidArgsFunction = firstAgents(-1).by(completer{c})

	return cmd
}

// restartCommand starts an agent again.
type restartCommand struct {
	env     []string
	profile string
	fresh   bool
}

func (r *restartCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart NAME",
		Short: "Stop an agent and start it again with the same id",
		Example: `  parley restart coder
  parley restart coder --profile claude
  parley restart coder --fresh    # with a new conversation`,
		Long: `Stops an agent and starts its command again, with the same id. Its program continues its own
conversation if it can; docs/agents.md says which programs can. It gets the environment of this
command, what parley.yaml names for it, and --env.`,
	}

	cmd.Flags().StringArrayVar(&r.env, "env", nil, "a variable of its environment, NAME=VALUE")
	cmd.Flags().StringVar(&r.profile, "profile", "", flagDoc(fieldOf("restart_agent", "profile")))
	cmd.Flags().BoolVar(&r.fresh, "fresh", false, flagDoc(fieldOf("restart_agent", "fresh")))
	profiles := func(*cobra.Command) []string { return completer{c}.profiles() }
	_ = cmd.RegisterFlagCompletionFunc("profile", offer(profiles))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, err := parseEnv(r.env)
		if err != nil {
			return misused(cmd, err)
		}
		return r.run(cmd.Context(), launches{c}, args[0], own)
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

func (r *restartCommand) run(ctx context.Context, l launches, agent string, own map[string]string) error {
	req := parley.RestartAgentRequest{
		Agent: agent, Profile: r.profile, Fresh: r.fresh, Dir: l.cli.at.dir, Env: l.cli.at.env.Scrubbed().Map(),
	}
	maps.Copy(req.Env, l.declaredEnv(agent))
	maps.Copy(req.Env, own)

	res, err := call[parley.LaunchAgentResult](ctx, l.cli, "restart_agent", req)
	if err != nil {
		return err
	}
	return l.watch(ctx, []*parley.LaunchAgentResult{res}, restarted)
}

type agentsCommand struct {
	all   bool
	named bool // one was asked for
}

func (a *agentsCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.AgentStatusResult]{
		op:    "get_agent_status",
		use:   "agents [NAME]",
		short: "List the agents and their states",
		example: `  parley agents
  parley agents coder --json
  parley agents --all    # stopped agents too`,
		complete: firstAgents(1),
		fill: func(args []string, to url.Values) error {
			if a.named = len(args) > 0; a.named {
				to.Set("agent", args[0])
			}
			return nil
		},
		print: a.print,
		more:  a.printWorktrees,
	}.declare(c)

	cmd.Aliases = []string{"ls", "ps"}
	cmd.Flags().BoolVar(&a.all, "all", false, "show stopped agents too")

	return cmd
}

func (a *agentsCommand) print(o *output, res *parley.AgentStatusResult) error {
	if len(res.Agents) == 0 {
		return o.printLine("There are no agents yet; parley launch coder -- claude starts one.")
	}

	before := len(res.Agents)
	if !a.all && !a.named {
		res.Agents = slices.DeleteFunc(res.Agents, func(a parley.AgentStatus) bool {
			return a.State == parley.StateTerminated && a.Queued == 0
		})
	}

	a.table(o, res.Agents).print(o)
	printQuotas(o, res.Agents)
	if hidden := before - len(res.Agents); hidden > 0 {
		return o.printLine(o.paint(faint, fmt.Sprintf("%d stopped, shown with --all", hidden)))
	}

	return nil
}

// printQuotas prints what is used of each account, and whose it is.
func printQuotas(o *output, agents []parley.AgentStatus) {
	owners := map[string][]string{}
	for _, a := range agents {
		if a.Quota != nil {
			owners[a.Quota.Account] = append(owners[a.Quota.Account], a.Name)
		}
	}
	for _, a := range agents {
		if a.Quota == nil || owners[a.Quota.Account][0] != a.Name {
			continue
		}
		style := faint
		if a.Quota.Words(parley.ScarceQuota) != "" {
			style = yellow
		}
		o.printLine(o.paint(style, fmt.Sprintf("quota used: %s (%s)", a.Quota.Words(0),
			strings.Join(owners[a.Quota.Account], ", "))))
	}
}

type agentColumn struct {
	head string
	fit  fit
	tell func(*output, *parley.AgentStatus) string
}

// agentColumns returns those that the table alone has, around those of all lists.
func agentColumns() []agentColumn {
	columns := []agentColumn{
		{"NAME", inner, func(_ *output, a *parley.AgentStatus) string { return a.Name }},
		{"ID", spare, func(_ *output, a *parley.AgentStatus) string { return parley.Short(a.ID) }},
		{"KIND", brief, func(_ *output, a *parley.AgentStatus) string { return kindOf(*a) }},
		{"STATE", whole,
			func(o *output, a *parley.AgentStatus) string { return o.paint(agentStyle(a.State), stateWords(*a)) }},
		{"SINCE", whole, func(o *output, a *parley.AgentStatus) string { return o.ago(a.Since) }},
		{"UNREAD", whole, func(_ *output, a *parley.AgentStatus) string { return strconv.Itoa(a.Unread) }},
		{"QUEUED", whole, func(_ *output, a *parley.AgentStatus) string { return strconv.Itoa(a.Queued) }},
	}
	for _, c := range op.AgentColumns {
		tell := func(_ *output, a *parley.AgentStatus) string { return c.Text(a) }
		if c.ID == "checked" {
			tell = func(o *output, a *parley.AgentStatus) string { return o.paint(checkStyle(a.Checked), c.Text(a)) }
		}
		if c.Table {
			columns = append(columns, agentColumn{strings.ToUpper(c.Heading()), c.Fit, tell})
		}
	}
	return append(columns,
		agentColumn{"HELD BECAUSE", prose, func(_ *output, a *parley.AgentStatus) string { return heldBecause(*a) }})
}

func (*agentsCommand) table(o *output, agents []parley.AgentStatus) *table {
	t := table{headed: true}
	rows := make([][]string, len(agents))
	var heads []string
	for _, c := range agentColumns() {
		if !slices.ContainsFunc(agents, func(a parley.AgentStatus) bool { return c.tell(o, &a) != "" }) {
			continue
		}
		heads, t.fits = append(heads, c.head), append(t.fits, c.fit)
		for i := range agents {
			rows[i] = append(rows[i], c.tell(o, &agents[i]))
		}
	}

	t.add(o.heads(heads...)...)
	for _, row := range rows {
		t.add(row...)
	}
	return &t
}

func checkStyle(c *parley.ProgramCheck) string {
	if c != nil && c.Fails {
		return yellow
	}
	return faint
}

// stateWords returns the state of an agent, and when a usage limit ends.
func stateWords(a parley.AgentStatus) string {
	if a.LimitedUntil == nil {
		return string(a.State)
	}
	return string(a.State) + " until " + plain.FormatEnd(*a.LimitedUntil)
}

// heldBecause says why the messages to an agent wait. Those to one that does not run wait for a command.
func heldBecause(a parley.AgentStatus) string {
	switch {
	case a.WaitsFor == "":
		return a.HeldReason
	case a.State.Live():
		return a.WaitsFor
	}
	return a.WaitsFor + ". " + a.HeldCode.Release(a.Agent)
}

func kindOf(a parley.AgentStatus) string {
	kind := cmp.Or(a.Runs, a.Profile, string(a.Kind))
	if a.Sandboxed() {
		kind += " sandboxed"
	}
	return kind
}

var registerCommand = operation[parley.RegisterAgentResult]{
	op:      "register_agent",
	use:     "register NAME",
	short:   "Register a mailbox agent and print its key, once",
	example: `  parley register ci --description "reports builds"`,
	flags: []string{
		"agent_description=description", "role", "capabilities=capability", "groups=group", "special",
	},
	print: func(o *output, res *parley.RegisterAgentResult) error {
		if res.Status == parley.StatusPendingApproval {
			o.printf("It is a mailbox until you approve it as a special agent: parley approve %s\n", res.Username)
		}

		o.printf("%s registered (agent %s). Its key is shown this once:\n", o.paint(bold, res.Username),
			parley.Short(res.AgentID))

		return o.printLine(res.APIKey)
	},
}

var terminalCommand = operation[parley.ReadTerminalResult]{
	op:    "read_terminal",
	use:   "screen NAME",
	short: "Print an agent's screen",
	example: `  parley screen coder
  parley screen coder --history 200 --colours`,
	complete: firstAgents(1),
	flags:    []string{"history", "colours"},
	print: func(o *output, res *parley.ReadTerminalResult) error {
		return o.printLine(strings.Join(tui.SafeScreen(res.Lines, math.MaxInt), "\n"))
	},
}
