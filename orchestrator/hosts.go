package orchestrator

import (
	"context"
	"fmt"
	"time"

	"parley"
)

// ListHosts does op.ListHosts.
func (ws *workspaceService) ListHosts(
	context.Context, parley.ListHostsRequest,
) (*parley.ListHostsResult, error) {
	res := &parley.ListHostsResult{Answer: parley.OK, Hosts: []parley.Host{}}
	shared := ws.store.Team()
	if shared.Own == "" {
		res.Hosts = append(res.Hosts, parley.Host{Name: ws.opts.Host, Here: true, Leads: true, Agents: []string{}})
	}

	leads := shared.Leader()
	for _, h := range shared.Hosts {
		host := parley.Host{Name: h.Name, Here: h.Name == shared.Own, Away: h.Away, Leads: h.Name == leads,
			StartedAt: &h.StartedAt, Agents: []string{}}
		if h.Away {
			host.AwaySince = &h.Until
		}
		res.Hosts = append(res.Hosts, host)
	}

	for _, m := range ws.roster.All() {
		a := m.Agent()
		if m.Kind == parley.KindTerminal && a.State != parley.StateTerminated {
			res.Hosts = withAgent(res.Hosts, a, shared.Own)
		}
	}

	return res, nil
}

// withAgent adds an agent to its host. One that is not known is away.
func withAgent(hosts []parley.Host, a parley.Agent, own string) []parley.Host {
	for i := range hosts {
		if hosts[i].Name == a.Host || own == "" {
			hosts[i].Agents = append(hosts[i].Agents, a.Name)
			return hosts
		}
	}
	return append(hosts, parley.Host{Name: a.Host, Away: true, Agents: []string{a.Name}})
}

// RemoveHost does op.RemoveHost.
func (ws *workspaceService) RemoveHost(
	ctx context.Context, req parley.RemoveHostRequest,
) (*parley.RemoveHostResult, error) {
	done, err := ws.store.RemoveHost(ctx, req.Name, parley.CallerFrom(ctx).Label())
	if err != nil {
		return nil, err
	}
	if err := ws.roster.Reload(ctx); err != nil {
		return nil, err
	}
	return &parley.RemoveHostResult{
		Answer: parley.OK, Name: req.Name, Terminated: append([]string{}, done.Agents...), Failed: done.Failed,
		Message: fmt.Sprintf("%s is no longer part of the team. "+
			"Its agents can be launched on another host under their names.",
			req.Name),
	}, nil
}

// awayTime is the interval between looks for what waits for hosts that are away.
const awayTime = 5 * time.Second

// keepHosts does what concerns the other hosts: it takes back what was held while this host was away, and,
// if this host leads, holds what waits for those that are away. It reports whether this host leads.
func (ws *workspaceService) keepHosts(ctx context.Context) (leads bool) {
	leads = ws.store.Leads()
	var err error
	if ws.returned.Swap(false) {
		if err = ws.store.TakeBack(ctx); err != nil {
			ws.returned.Store(true)
		}
	}
	if err == nil && leads && ws.away.due() && ws.someAway() {
		err = ws.store.HoldAway(ctx, ws.awayWords)
	}
	if err != nil && ctx.Err() == nil {
		ws.log.Error("look after the hosts", "error", err)
	}
	return leads
}

// someAway reports whether an agent is on a host that is away.
func (ws *workspaceService) someAway() bool {
	for _, m := range ws.roster.All() {
		if _, away := ws.roster.Away(m); away && m.Agent().State != parley.StateTerminated {
			return true
		}
	}
	return false
}

// awayWords says since when a host is away.
func (ws *workspaceService) awayWords(host string, since *time.Time) string {
	detail := host + " is not known to the database"
	if since != nil {
		detail = host + " has been away since " + parley.LocalTime(*since, ws.now())
	}
	return parley.HoldHostAway.Words(detail)
}

// awayNeed returns the need of an agent whose host is away. ssh reaches the host at destination.
func awayNeed(n parley.Need, host, destination string, since time.Time, waiting int) parley.Need {
	n.Kind, n.Since, n.Text, n.Command = parley.NeedLost, since, "its host "+host+" is away", "ssh "+destination
	if waiting > 0 {
		n.Text += fmt.Sprintf("; messages that wait for it: %d", waiting)
	}
	n.Action = "Start parley there again: parley serve, in the workspace. If that machine is gone for good: " +
		"parley host remove " + host + "."
	return n
}
