package orchestrator

import "context"

// Health returns nil when the database and tmux answer: else STORAGE_UNAVAILABLE
// or TMUX_UNAVAILABLE.
func (o *Orchestrator) Health(ctx context.Context) error {
	if err := o.store.Ping(ctx); err != nil {
		return err
	}
	return o.terminals.Ping(ctx)
}
