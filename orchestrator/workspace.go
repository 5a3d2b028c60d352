package orchestrator

import (
	"cmp"
	"context"
	"path/filepath"
	"time"

	"parley"
	"parley/store"
)

// ReadEvents implements parley.EventService.
func (o *Orchestrator) ReadEvents(ctx context.Context, req parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	c := parley.CallerFrom(ctx)
	q := store.EventQuery{After: req.After, Limit: cmp.Or(req.Limit, 100), Last: req.Last, For: c.ID}
	if c.Operator {
		q.For = ""
	}

	wait, cancel := context.WithTimeout(ctx, time.Duration(req.WaitSeconds)*time.Second)
	defer cancel()
	defer context.AfterFunc(o.ctx, cancel)()

	for {
		seen := o.store.LastEvent()
		events, err := o.store.Events.List(ctx, q)
		if err != nil {
			return nil, err
		}

		res := &parley.ReadEventsResult{Answer: parley.OK, Events: events, Next: max(req.After, seen)}
		if len(events) > 0 {
			res.Next = events[len(events)-1].Seq
			return res, nil
		}

		if res.Events = []parley.Event{}; req.WaitSeconds <= 0 || o.store.WaitEvent(wait, seen) != nil {
			return res, ctx.Err()
		}
	}
}

// GetWorkspaceStatus implements parley.WorkspaceService.
func (o *Orchestrator) GetWorkspaceStatus(
	ctx context.Context,
	_ parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	res := o.opts.Info
	res.Answer, res.Workspace = parley.OK, o.opts.Workspace
	res.TmuxSocket, res.TmuxVersion = o.terminals.Server().SocketPath(), o.terminals.Server().Version().String()
	res.LastEvent, res.Paused, res.Warnings = o.store.LastEvent(), o.pause.is(), o.warnings
	res.Agents = map[string]int{}
	for _, m := range o.roster.All() {
		if m.Kind != parley.KindHuman {
			res.Agents[string(m.Agent().State)]++
		}
	}

	needs, err := o.needs(ctx)
	if err != nil {
		return nil, err
	}

	res.Needs = len(needs)
	if res.Deliveries, err = o.store.DeliveryCounts(ctx); err != nil {
		return nil, err
	}
	if res.Reasons, err = o.store.DeliveryReasons(ctx); err != nil {
		return nil, err
	}

	return &res, nil
}

// Backup implements parley.WorkspaceService.
func (o *Orchestrator) Backup(ctx context.Context, req parley.BackupRequest) (*parley.BackupResult, error) {
	if !filepath.IsAbs(req.Path) {
		return nil, parley.Errorf(parley.InvalidArgument, "%q is not an absolute path", req.Path).
			Suggest("Give the whole path of the file to write.")
	}
	size, err := o.store.Backup(ctx, req.Path)
	if err != nil {
		return nil, err
	}
	return &parley.BackupResult{Answer: parley.OK, Path: req.Path, Size: size}, nil
}

// ShutDown implements parley.WorkspaceService.
func (o *Orchestrator) ShutDown(ctx context.Context, req parley.ShutDownRequest) (*parley.ShutDownResult, error) {
	res := &parley.ShutDownResult{Answer: parley.OK, Stopped: []string{}}
	if !req.KeepAgents {
		stopped, left, err := o.terminals.EndAll(context.WithoutCancel(ctx), "stopped by parley down")
		if err != nil {
			return nil, err
		}
		res.Stopped, res.Left = filled(stopped), left
	}
	if o.opts.ShutDown != nil {
		o.opts.ShutDown()
	}
	return res, nil
}
