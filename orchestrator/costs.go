package orchestrator

import (
	"context"

	"parley"
)

// pauseForBudget pauses communication in parley's own name, and reports whether parley has paused it. A pause
// of somebody else stays as it is.
func (o *Orchestrator) pauseForBudget(ctx context.Context, reason string) (paused bool, err error) {
	op := o.services.operator
	if p := op.pause.is(); p != nil {
		return p.By == parley.SystemName, nil
	}
	system, err := o.rooms.roster.System(ctx)
	if err != nil {
		return false, err
	}
	req := parley.PauseCommunicationRequest{Paused: true, Reason: reason}
	if err := op.setPause(ctx, system, req); err != nil {
		return false, err
	}
	for _, m := range o.rooms.roster.All() {
		m.Wake()
	}
	return true, nil
}
