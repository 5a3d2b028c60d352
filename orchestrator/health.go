package orchestrator

import "context"

// Health returns nil when the database and tmux answer: else STORAGE_UNAVAILABLE
// or TMUX_UNAVAILABLE.
func (ws *workspaceService) Health(ctx context.Context) error {
	if err := ws.store.Ping(ctx); err != nil {
		return err
	}
	return ws.terminals.Ping(ctx)
}
