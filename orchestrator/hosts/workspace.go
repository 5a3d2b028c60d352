// Package hosts has what concerns the workspace and its hosts: status, backup, storage, retention and the end.
package hosts

import (
	"context"
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

// GetWorkspaceStatus does op.GetWorkspaceStatus.
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

// Backup does op.Backup.
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

// ShutDown does op.ShutDown.
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
