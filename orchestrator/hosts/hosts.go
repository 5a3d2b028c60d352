package hosts

import (
	"context"
	"fmt"
	"time"

	"parley"
)

// ListHosts does op.ListHosts.
func (ws *Service) ListHosts(
	context.Context, parley.ListHostsRequest,
) (*parley.ListHostsResult, error) {
	res := &parley.ListHostsResult{Answer: parley.OK, Hosts: []parley.Host{}}
	shared := ws.Store.Hosts.Team()
	if shared.Own == "" {
		res.Hosts = append(res.Hosts, parley.Host{Name: ws.Host, Here: true, Leads: true, Agents: []string{}})
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

	for _, m := range ws.Roster.All() {
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
func (ws *Service) RemoveHost(
	ctx context.Context, req parley.RemoveHostRequest,
) (*parley.RemoveHostResult, error) {
	done, err := ws.Store.Hosts.RemoveHost(ctx, req.Name, parley.CallerFrom(ctx).Label())
	if err != nil {
		return nil, err
	}
	if err := ws.Roster.Reload(ctx); err != nil {
		return nil, err
	}
	return &parley.RemoveHostResult{
		Answer: parley.OK, Name: req.Name, Terminated: append([]string{}, done.Agents...), Failed: done.Failed,
		Message: fmt.Sprintf("%s is no longer part of the team. "+
			"Its agents can be launched on another host under their names.",
			req.Name),
	}, nil
}

// AwayTime is the interval between looks for what waits for hosts that are away.
const AwayTime = 5 * time.Second

// KeepHosts does what concerns the other hosts: it takes back what was held while this host was away, and,
// if this host leads, holds what waits for those that are away. It reports whether this host leads.
func (ws *Service) KeepHosts(ctx context.Context) (leads bool) {
	leads = ws.Store.Hosts.Leads()
	var err error
	if ws.Returned.Swap(false) {
		if err = ws.Store.Hosts.TakeBack(ctx); err != nil {
			ws.Returned.Store(true)
		}
	}
	if err == nil && leads && ws.Away.Due() && ws.someAway() {
		err = ws.Store.Hosts.HoldAway(ctx, ws.awayWords)
	}
	if err != nil && ctx.Err() == nil {
		ws.Log.Error("look after the hosts", "error", err)
	}
	return leads
}

// someAway reports whether an agent is on a host that is away.
func (ws *Service) someAway() bool {
	for _, m := range ws.Roster.All() {
		if _, away := ws.Roster.Away(m); away && m.Agent().State != parley.StateTerminated {
			return true
		}
	}
	return false
}

// awayWords says since when a host is away.
func (ws *Service) awayWords(host string, since *time.Time) string {
	detail := host + " is not known to the database"
	if since != nil {
		detail = host + " has been away since " + parley.LocalTime(*since, ws.Now())
	}
	return parley.HoldHostAway.Words(detail)
}

// Interval tells when a periodic task is due. Not safe for concurrent use.
type Interval struct {
	every time.Duration
	last  time.Time
}

// NewInterval returns one that begins now.
func NewInterval(every time.Duration) *Interval { return &Interval{every, time.Now()} }

// Due reports whether the interval has passed since the last time it was due.
func (i *Interval) Due() bool {
	if time.Since(i.last) < i.every {
		return false
	}
	i.last = time.Now()
	return true
}
