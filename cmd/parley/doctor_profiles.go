package main

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/daemon"
	"parley/internal/sh"
	"parley/op"
	"parley/program/profile"
)

// checkProfiles checks that the running agents whose programs are known have the profiles of
// those. Without a daemon it finds nothing.
func (d *doctor) checkProfiles(ctx context.Context) (f findings) {
	info := daemon.Running(ctx, d.at)
	if info == nil {
		return nil
	}

	service := d.clientOf(info)
	defer service.Close()

	needs, err := op.GetNeeds.Call(ctx, service, parley.GetNeedsRequest{})
	if err != nil {
		return nil // for other checks
	}
	for _, n := range needs.Needs {
		if n.Kind == parley.NeedProfile {
			f.warn("profiles", fmt.Sprintf("%s (%s)", n.Action, n.Command), "%s: %s", n.Agent, n.Text)
		}
	}

	status, err := op.GetAgentStatus.Call(ctx, service, parley.AgentStatusRequest{})
	if err != nil {
		return f
	}
	for _, a := range status.Agents {
		d.checkGeneric(&f, &a.Agent)
	}

	return f
}

// checkGeneric warns about a program that is known and was launched as any program.
func (d *doctor) checkGeneric(f *findings, a *parley.Agent) {
	if !a.State.Live() || a.Profile != profile.Default || a.Runs != "" || sh.IsShell(a.Command) {
		return
	}
	if p, ok := d.set.Running(a.Command); ok {
		f.warn("profiles", "Unless you want that: parley restart "+a.Name+" --profile "+p.Name,
			"%s runs %s as %s: without parley's tools and briefing, and a message may answer its questions",
			a.Name, p.Name, profile.Default)
	}
}
