package main

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
)

// upOptions are the flags of parley up.
type upOptions struct {
	file                 string
	apply, dryRun, fresh bool
}

// upCommand launches the team of parley.yaml.
type upCommand struct{ upOptions }

func (o *upCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "up [NAME…]",
		Short: "Launch the team of parley.yaml, and bring back lost agents",
		Long: `Launches the agents of parley.yaml that do not run, or only those that are named. One that
ran before continues its own conversation if its program can; agents that lost their terminals,
as after a reboot, come back even if the file does not name them. Of one that runs already, up
says how it differs from the file.`,
		Example: `  parley up
  parley up --dry-run         # only say what would happen
  parley up --apply           # change or restart the agents that differ from the file
  parley up --fresh coder     # with a new conversation
  parley up -f teams/review.yaml`,
	}

	f := cmd.Flags()
	f.StringVarP(&o.file, "file", "f", "", "the team's file (default: the workspace's parley.yaml)")
	f.BoolVar(&o.apply, "apply", false, "change or restart running agents that differ from the file")
	f.BoolVar(&o.dryRun, "dry-run", false, "only say what would happen")
	f.BoolVar(&o.fresh, "fresh", false, "begin new conversations")
	cmd.MarkFlagsMutuallyExclusive("apply", "dry-run")
	cmd.RunE = func(cmd *cobra.Command, names []string) error { return o.run(cmd.Context(), c, names) }
	cmd.ValidArgsFunction = firstAgents(-1).by(completer{c})

	return cmd
}

func (o *upCommand) run(ctx context.Context, c *cli, names []string) error {
	t, base, err := o.team(&c.program)
	if err != nil {
		return err
	}

	at, err := c.at.place()
	if err != nil {
		return err
	}
	if len(t.Agents) == 0 && !at.InUse() {
		return noAgents(t, at, nil)
	}
	if _, err := c.program.ensureDaemon(ctx, at); err != nil {
		return err
	}

	status, err := call[parley.AgentStatusResult](ctx, c, "get_agent_status", nil)
	if err != nil {
		return err
	}

	steps, err := planUp(t.Agents, status.Agents, names)
	if err == nil && len(steps) == 0 {
		err = noAgents(t, at, status.Agents)
	}
	if err != nil {
		return err
	}

	u := upRun{cli: c, launches: launches{c}, upOptions: o.upOptions, team: t, base: base, steps: steps}
	if u.here, err = o.here(ctx, c, t); err != nil {
		return err
	}

	return u.run(ctx)
}

// here returns the name of this machine among the hosts of the team, if the file places any agent.
func (*upCommand) here(ctx context.Context, c *cli, t *daemon.Team) (string, error) {
	if !slices.ContainsFunc(t.Agents, func(a daemon.Agent) bool { return a.Host != "" }) {
		return "", nil
	}
	res, err := call[parley.ListHostsResult](ctx, c, "list_hosts", nil)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(res.Hosts, func(h parley.Host) bool { return h.Here })
	return res.Hosts[i].Name, nil // the daemon is always there
}

// team reads the file of parley up, which the user must trust, and returns the directory that
// its paths are relative to.
func (o *upCommand) team(p *program) (*daemon.Team, string, error) {
	at, err := p.out.at.place()
	if err != nil {
		return nil, "", err
	}

	path := at.TeamFile()
	if o.file != "" {
		path = p.out.at.absolute(o.file)
	}

	t, err := daemon.LoadTeam(path, o.file != "")
	if err != nil {
		return nil, "", err
	}
	if p.canAsk() {
		err = p.trust(t, false)
	} else if !daemon.TrustOf(p.out.at.env).Has(t) {
		err = daemon.NotTrusted(t)
	}

	return t, filepath.Dir(path), err
}

// noAgents says that there is nothing to launch, and which of the agents that are there could be.
func noAgents(t *daemon.Team, at place.Place, there []parley.AgentStatus) error {
	if t.File == "" {
		e := parley.Errorf(parley.InvalidArgument, "there is no %s, and no agent was lost", at.TeamFile())
		const how = "parley init writes one for the agent programs that are installed"
		var stopped []string
		for _, a := range there {
			if a.Kind == parley.KindTerminal && a.State == parley.StateTerminated {
				stopped = append(stopped, a.Name)
			}
		}
		if stopped == nil {
			return e.Suggest("%s.", how)
		}
		return e.Suggest("%s; stopped are %s: parley restart NAME starts one again.", how, strings.Join(stopped, ", "))
	}
	return parley.Errorf(parley.InvalidArgument, "%s names no agents", t.File).
		Suggest("List them under agents:; docs/settings.md shows how.")
}

// planUp returns the steps for the agents of a file and then for the lost ones that the file does not
// have: for all of them, or for those with these names.
func planUp(wanted []daemon.Agent, there []parley.AgentStatus, names []string) ([]upStep, error) {
	find := func(name string) *parley.AgentStatus {
		i := slices.IndexFunc(there, func(a parley.AgentStatus) bool {
			return a.Kind == parley.KindTerminal && strings.EqualFold(a.Name, name)
		})
		if i < 0 {
			return nil
		}
		return &there[i]
	}

	var steps []upStep
	for i, a := range wanted {
		known := find(a.Name)
		finished := len(names) == 0 && known != nil && a.HasWorktree() && hasFinished(known)
		steps = append(steps, upStep{a.Name, &wanted[i], known != nil && known.State.Live(), known, finished})
	}

	for i, a := range there {
		inFile := slices.ContainsFunc(wanted, func(w daemon.Agent) bool { return strings.EqualFold(w.Name, a.Name) })
		if a.Lost() && !inFile && !a.Elsewhere {
			steps = append(steps, upStep{a.Name, nil, false, &there[i], false})
		}
	}

	for _, name := range names {
		if !slices.ContainsFunc(steps, func(s upStep) bool { return strings.EqualFold(s.name, name) }) {
			return nil, parley.Errorf(parley.AgentNotFound, "parley.yaml names no agent %s, and none was lost", name).
				Suggest("parley restart %s starts a stopped one again.", name)
		}
	}

	return slices.DeleteFunc(steps, func(s upStep) bool {
		named := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(s.name, name) })
		return len(names) > 0 && !named
	}), nil
}

// hasFinished reports whether an agent is stopped that worked in a worktree, and that one was removed. One that never
// had any has finished nothing.
func hasFinished(a *parley.AgentStatus) bool {
	return a.State == parley.StateTerminated && a.Worktree == nil &&
		strings.Contains(filepath.ToSlash(a.Dir)+"/", "/"+parley.WorktreesDir+"/"+a.Name+"/")
}

// run takes the steps, and reports each.
func (u *upRun) run(ctx context.Context) error {
	steps := map[string]upStep{}
	var names []string
	for _, s := range u.steps {
		steps[s.name] = s
		names = append(names, s.name)
	}

	err := u.cli.out.forEach(names, func(name string) error { return named(name, u.step(ctx, steps[name])) })
	ended := cmp.Or(u.launches.watch(ctx, u.launched, "launched"), u.plan(ctx))
	if err == nil || ended == nil {
		return cmp.Or(err, ended)
	}

	u.cli.out.fail(ended)

	return err
}

// named returns an error that says whom it is about.
func named(agent string, err error) error {
	e, ok := errors.AsType[*parley.Error](err)
	if !ok || strings.HasPrefix(e.Message, agent+" ") { // it begins with whom it is about
		return err
	}
	told := *e
	told.Message = agent + ": " + e.Message
	return &told
}

func (u *upRun) step(ctx context.Context, s upStep) error {
	switch {
	case s.running:
		return u.compare(ctx, s)
	case s.finished:
		return u.printFinished(s)
	case u.dryRun:
		return u.printWouldLaunch(s)
	case s.wanted == nil:
		return u.bringBack(ctx, s)
	}

	req, err := u.request(s.wanted)
	if err != nil {
		return err
	}
	req.Resume = !u.fresh && !req.NoResume

	res, err := u.launches.launch(ctx, req, u.base, s.wanted.Size)
	if err != nil {
		return err
	}
	u.launched = append(u.launched, res)

	wants, resumed := dirOf(req.Dir, u.base), res.Conversation == parley.ConversationResumed
	if req.Worktree == "" && req.Host == "" && res.Dir != wants && resumed {
		u.warnOfDir(s.name, res.Dir, wants)
	}

	return nil
}

// bringBack restarts an agent that the file does not have.
func (u *upRun) bringBack(ctx context.Context, s upStep) error {
	req := parley.RestartAgentRequest{Agent: s.there.ID, Fresh: u.fresh, Dir: u.cli.at.dir,
		Env: u.cli.at.env.Scrubbed().Map()}
	res, err := call[parley.LaunchAgentResult](ctx, u.cli, "restart_agent", req)
	if err == nil {
		u.launched = append(u.launched, res)
	}
	return err
}

// request returns the launch that the file asks for.
func (u *upRun) request(a *daemon.Agent) (parley.LaunchAgentRequest, error) {
	prompt, err := promptText(a.Prompt, u.base)
	host := a.Host
	if host == u.here {
		host = ""
	}
	return u.team.WithWorktree(*a, parley.LaunchAgentRequest{
		Name:      a.Name,
		Host:      host,
		Profile:   a.Profile,
		Command:   a.Command,
		Dir:       a.Dir,
		Env:       a.Env,
		Model:     a.Model,
		Prompt:    prompt,
		AgentSpec: a.AgentSpec,

		NoResume: a.Resume != nil && !*a.Resume,
	}), err
}

// compare says how a running agent differs from the file, and with --apply changes it.
func (u *upRun) compare(ctx context.Context, s upStep) error {
	launch, err := u.request(s.wanted)
	if err != nil {
		return err
	}
	if launch, err = u.launches.completed(launch, u.base, s.wanted.Size); err != nil {
		return err
	}

	req := parley.UpdateAgentRequest{LaunchAgentRequest: launch, DryRun: !u.apply, Fresh: u.fresh}
	res, err := call[parley.UpdateAgentResult](ctx, u.cli, "update_agent", req)
	if err != nil {
		return err
	}
	if res.Launched != nil {
		res.Launched.PromptMessageID = res.PromptMessageID
		u.launched = append(u.launched, res.Launched)
	}

	return u.printCompared(s, res)
}
