package orchestrator

import (
	"context"
	"errors"
	"time"
)

// choreTime is how often expired deliveries and unused files are looked for.
const choreTime = 30 * time.Second

// chores does what is not urgent.
func (o *Orchestrator) chores(ctx context.Context) {
	if _, err := o.store.Expire(ctx, o.now().Add(-o.opts.Settings.ExpireAfter)); err != nil && ctx.Err() == nil {
		o.log.Error("expire deliveries", "error", err)
	}

	o.sweep()
	seen := o.roster.TakeSeen()
	if err := errors.Join(o.store.TouchAgents(ctx, seen), o.store.TouchKeys(ctx, o.roster.Keys.TakeUsed())); err != nil &&
		ctx.Err() == nil {
		o.log.Error("note who was seen", "error", err)
	}
}
