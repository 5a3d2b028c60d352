package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley"
	"parley/internal/daemon"
)

// launches start agents, and report what became of them.
type launches struct{ *cli }

// launch completes and sends a request.
func (c launches) launch(
	ctx context.Context, r parley.LaunchAgentRequest, base, size string,
) (*parley.LaunchAgentResult, error) {
	r, err := c.completed(r, base, size)
	if err != nil {
		return nil, err
	}
	return call[parley.LaunchAgentResult](ctx, c.cli, "launch_agent", r)
}

// completed makes the working directory of a request absolute, relative to base, and adds this
// process's environment below its own, and the size. What runs on another machine has the environment
// there.
func (c launches) completed(
	r parley.LaunchAgentRequest, base, size string,
) (parley.LaunchAgentRequest, error) {
	r.OwnEnv = slices.Sorted(maps.Keys(r.Env))
	if r.Host == "" {
		r.Dir = dirOf(r.Dir, base)
		env := c.env.Scrubbed().Map()
		maps.Copy(env, r.Env)
		r.Env = env
	}

	var err error
	r.Width, r.Height, err = daemon.ParseSize(size)

	return r, err
}

// declaredEnv returns the variables that the workspace's parley.yaml names for an agent, none if the
// user does not trust the file.
func (c launches) declaredEnv(name string) map[string]string {
	at, err := c.place()
	if err != nil {
		return nil
	}
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	if err != nil || !daemon.TrustOf(c.env).Has(t) {
		return nil
	}

	for _, a := range t.Agents {
		if strings.EqualFold(a.Name, name) {
			return a.Env
		}
	}

	return nil
}

// declareWorktree adds what the workspace's parley.yaml says of new worktrees, if the launch asks
// for one and the user trusts the file.
func (c launches) declareWorktree(r *parley.LaunchAgentRequest) {
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
