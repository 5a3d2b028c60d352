// Package hosts has what concerns the workspace and its hosts: status, backup, storage, retention and the end.
package hosts

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/settings"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
)

// Service does the operations on the workspace: status, backup and shutdown. It also
// runs the periodic expiry.
type Service struct {
	Store     *store.Store
	Roster    *team.Roster
	Terminals *terminal.Terminals
	Admission *admission.Admission
	Needs     interface { // of the operator
		All(ctx context.Context) ([]parley.Need, error)
	}
	Ways      func() []parley.NoticeWay // how the ways of notices work
	Pause     *admission.Pause
	Settings  *settings.Settings
	Info      *parley.WorkspaceStatusResult // facts about the daemon
	Workspace string                        // the project directory
	Host      string
	End       func() // ends the daemon; nil: it has no end
	Files     interface {
		Prune(ctx context.Context, before time.Time, rest func() error) error
	}
	Warnings []string // from the start of the daemon
	Now      func() time.Time
	clock    cautiousClock // of expire
	Pruning  cautiousClock // of prune
	Log      *slog.Logger

	Returned atomic.Bool // others may hold what waits for this host
	Away     *Interval   // between two looks for what waits for hosts that are away
}

func (ws *Service) GetWorkspaceStatus(
	ctx context.Context, _ parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	res := *ws.Info
	res.Answer, res.Workspace = parley.OK, ws.Workspace
	res.TmuxSocket, res.TmuxVersion = ws.Terminals.Server().SocketPath(), ws.Terminals.Server().Version().String()
	res.LastEvent, res.Paused = ws.Store.Events.LastEvent(), ws.Pause.Is()
	lacks, err := ws.storageWarnings(ctx)
	if err != nil {
		return nil, err
	}
	res.Warnings = slices.Concat(ws.Info.Warnings, ws.Warnings, lacks)
	res.Notices = ws.Ways()
	res.Agents = map[string]int{}
	for _, m := range ws.Roster.All() {
		if m.Kind != parley.KindHuman {
			res.Agents[string(team.Seen(ws.Roster, m).State)]++
		}
	}

	needs, err := ws.Needs.All(ctx)
	if err != nil {
		return nil, err
	}

	res.Needs = parley.Matters(needs)
	if res.Deliveries, err = ws.Store.Workspace.DeliveryCounts(ctx); err != nil {
		return nil, err
	}
	if res.Reasons, err = ws.Store.Workspace.DeliveryReasons(ctx); err != nil {
		return nil, err
	}

	return &res, nil
}

func (ws *Service) Backup(ctx context.Context, req parley.BackupRequest) (*parley.BackupResult, error) {
	if !filepath.IsAbs(req.Path) {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", req.Path).
			Suggest("Give the whole path of the file to write.")
	}
	size, err := ws.Store.Workspace.Backup(ctx, req.Path)
	if err != nil {
		return nil, err
	}
	return &parley.BackupResult{Answer: parley.OK, Path: req.Path, Size: size}, nil
}

func (ws *Service) ShutDown(ctx context.Context, req parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	res := &parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}}
	if !req.KeepAgents {
		stopped, left, err := ws.Terminals.EndAll(context.WithoutCancel(ctx), "stopped by parley down")
		if err != nil {
			return nil, err
		}
		res.Stopped, res.Left = append(res.Stopped, stopped...), left
	}
	if ws.End != nil {
		ws.End()
	}
	return res, nil
}

// Health returns nil if the database and tmux answer, else STORAGE_UNAVAILABLE or
// TMUX_UNAVAILABLE.
func (ws *Service) Health(ctx context.Context) error {
	if err := ws.Store.Workspace.Ping(ctx); err != nil {
		return err
	}
	if err := ws.Admission.Copies.Files.Refusal(); err != nil {
		return err
	}
	return ws.Terminals.Ping(ctx)
}

// ReportIncidents tells the operator what happened to the database's files, until ctx ends.
// What cannot be stored as a notice is in the log, and what is lasting in GetNeeds.
func (ws *Service) ReportIncidents(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case text := <-ws.Store.Workspace.Incidents():
			ws.Log.Error(text)
			operator := []*team.Member{ws.Roster.ByName(parley.OperatorName)}
			if err := ws.Admission.Notify(ctx, operator, text, nil, ""); err != nil {
				ws.Log.Warn("tell the operator of the database", "error", err)
			}
		}
	}
}

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
		err = ws.Store.Hosts.HoldAway(ctx, ws.away)
	}
	if err != nil && ctx.Err() == nil {
		ws.Log.Error("look after the hosts", "error", err)
	}
	return leads
}

// someAway reports whether an agent is on a host that is away.
func (ws *Service) someAway() bool {
	for _, m := range ws.Roster.All() {
		if _, away := ws.Roster.Hosts.Away(m); away && m.Agent().State != parley.StateTerminated {
			return true
		}
	}
	return false
}

// away is why a message waits for a host, and says since when that is away.
func (ws *Service) away(host string, since *time.Time) parley.Cause {
	detail := host + " is not known to the database"
	if since != nil {
		detail = host + " has been away since " + parley.LocalTime(*since, ws.Now())
	}
	return parley.HoldHostAway.With(detail)
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
