package orchestrator

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/orchestrator/terminal"
	"parley/store"
)

// workspaceService does the operations on the workspace: status, backup and shutdown. It also
// runs the periodic expiry.
type workspaceService struct {
	store     *store.Store
	roster    *team.Roster
	terminals *terminal.Terminals
	operator  *operatorService
	pause     *pause
	opts      *Options
	warnings  []string // from the start of the daemon
	now       func() time.Time
	clock     cautiousClock // of expire
	log       *slog.Logger

	returned atomic.Bool // others may hold what waits for this host
	away     *interval   // between two looks for what waits for hosts that are away
}

// GetWorkspaceStatus does op.GetWorkspaceStatus.
func (ws *workspaceService) GetWorkspaceStatus(
	ctx context.Context, _ parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	res := ws.opts.Daemon.Info
	res.Answer, res.Workspace = parley.OK, ws.opts.Workspace
	res.TmuxSocket, res.TmuxVersion = ws.terminals.Server().SocketPath(), ws.terminals.Server().Version().String()
	res.LastEvent, res.Paused = ws.store.LastEvent(), ws.pause.is()
	lacks, err := ws.storageWarnings(ctx)
	if err != nil {
		return nil, err
	}
	res.Warnings = slices.Concat(ws.opts.Daemon.Info.Warnings, ws.warnings, lacks)
	res.Notices = ws.opts.notices()
	res.Agents = map[string]int{}
	for _, m := range ws.roster.All() {
		if m.Kind != parley.KindHuman {
			res.Agents[string(team.Seen(ws.roster, m).State)]++
		}
	}

	needs, err := ws.operator.needs(ctx)
	if err != nil {
		return nil, err
	}

	res.Needs = parley.Matters(needs)
	if res.Deliveries, err = ws.store.DeliveryCounts(ctx); err != nil {
		return nil, err
	}
	if res.Reasons, err = ws.store.DeliveryReasons(ctx); err != nil {
		return nil, err
	}

	return &res, nil
}

// Backup does op.Backup.
func (ws *workspaceService) Backup(ctx context.Context, req parley.BackupRequest) (*parley.BackupResult, error) {
	if !filepath.IsAbs(req.Path) {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", req.Path).
			Suggest("Give the whole path of the file to write.")
	}
	size, err := ws.store.Backup(ctx, req.Path)
	if err != nil {
		return nil, err
	}
	return &parley.BackupResult{Answer: parley.OK, Path: req.Path, Size: size}, nil
}

// ShutDown does op.ShutDown.
func (ws *workspaceService) ShutDown(ctx context.Context, req parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	res := &parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}}
	if !req.KeepAgents {
		stopped, left, err := ws.terminals.EndAll(context.WithoutCancel(ctx), "stopped by parley down")
		if err != nil {
			return nil, err
		}
		res.Stopped, res.Left = orEmpty(stopped), left
	}
	if ws.opts.Daemon.ShutDown != nil {
		ws.opts.Daemon.ShutDown()
	}
	return res, nil
}

// Health returns nil if the database and tmux answer, else STORAGE_UNAVAILABLE or
// TMUX_UNAVAILABLE.
func (ws *workspaceService) Health(ctx context.Context) error {
	if err := ws.store.Ping(ctx); err != nil {
		return err
	}
	if err := ws.operator.admission.files.Refusal(); err != nil {
		return err
	}
	return ws.terminals.Ping(ctx)
}

// reportIncidents tells the operator what happened to the database's files, until ctx ends.
// What cannot be stored as a notice is in the log, and what is lasting in GetNeeds.
func (o *Orchestrator) reportIncidents(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case text := <-o.store.Incidents():
			o.log.Error(text)
			operator := []*team.Member{o.rooms.roster.ByName(parley.OperatorName)}
			if err := o.rooms.admission.notify(ctx, operator, text, nil, ""); err != nil {
				o.log.Warn("tell the operator of the database", "error", err)
			}
		}
	}
}
