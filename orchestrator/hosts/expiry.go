package hosts

import (
	"context"
	"errors"
)

// Expire gives up deliveries that waited too long, removes unused files, and records when
// agents and keys were last seen.
// Only the host that leads gives up deliveries.
func (ws *Service) Expire(ctx context.Context) {
	now := ws.clock.look(ws.Now(), timePassed())
	if ws.Store.Leads() {
		if _, err := ws.Store.Expire(ctx, now.Add(-ws.Settings.ExpireAfter)); err != nil && ctx.Err() == nil {
			ws.Log.Error("expire deliveries", "error", err)
		}
	}

	ws.Terminals.Sweep()

	err := errors.Join(ws.Store.TouchAgents(ctx, ws.Roster.TakeSeen()),
		ws.Store.TouchKeys(ctx, ws.Roster.Keys.TakeUsed()))
	if err != nil && ctx.Err() == nil {
		ws.Log.Error("record when agents and keys were last seen", "error", err)
	}
}
