package orchestrator

import (
	"context"
	"errors"
	"time"
)

// choreTime is how often expired deliveries and unused files are looked for.
const choreTime = 30 * time.Second

// expire gives up deliveries that waited too long, removes unused files, and stores when
// agents and keys were last seen.
func (o *Orchestrator) expire(ctx context.Context) {
	if _, err := o.store.Expire(ctx, o.now().Add(-o.opts.Settings.ExpireAfter)); err != nil && ctx.Err() == nil {
		o.log.Error("expire deliveries", "error", err)
	}

	o.terminals.Sweep()
	seen := o.roster.TakeSeen()
	if err := errors.Join(o.store.TouchAgents(ctx, seen), o.store.TouchKeys(ctx, o.roster.Keys.TakeUsed())); err != nil &&
		ctx.Err() == nil {
		o.log.Error("note who was seen", "error", err)
	}
}
