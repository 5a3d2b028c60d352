package orchestrator

import (
	"context"
	"errors"
)

// expire gives up deliveries that waited too long, removes unused files, and records when
// agents and keys were last seen.
// Only the host that leads gives up deliveries.
func (ws *workspaceService) expire(ctx context.Context) {
	now := ws.clock.look(ws.now(), timePassed())
	if ws.store.Leads() {
		if _, err := ws.store.Expire(ctx, now.Add(-ws.opts.Settings.ExpireAfter)); err != nil && ctx.Err() == nil {
			ws.log.Error("expire deliveries", "error", err)
		}
	}

	ws.terminals.Sweep()

	err := errors.Join(ws.store.TouchAgents(ctx, ws.roster.TakeSeen()),
		ws.store.TouchKeys(ctx, ws.roster.Keys.TakeUsed()))
	if err != nil && ctx.Err() == nil {
		ws.log.Error("record when agents and keys were last seen", "error", err)
	}
}
