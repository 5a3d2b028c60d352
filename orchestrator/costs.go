package orchestrator

import (
	"context"

	"parley"
	"parley/orchestrator/team"
)

// pauseForBudget pauses communication in parley's own name, and reports whether parley has paused it. A pause
// of somebody else stays as it is.
func (o *Orchestrator) pauseForBudget(ctx context.Context, reason string) (paused bool, err error) {
	pause := o.rooms.pause
	if p := pause.Is(); p != nil {
		return p.By == parley.SystemName, nil
	}
	system, err := o.rooms.roster.System(ctx)
	if err != nil {
		return false, err
	}
	req := parley.PauseCommunicationRequest{Paused: true, Reason: reason}
	if err := pause.Change(ctx, o.store, system, req, o.now()); err != nil {
		return false, err
	}
	for _, m := range o.rooms.roster.All() {
		m.Wake()
	}
	return true, nil
}

// notice sends an agent a notice from parley, once for each key.
func (o *Orchestrator) notice(ctx context.Context, to *team.Member, text, key string) error {
	return o.rooms.admission.Notify(ctx, []*team.Member{to}, text, nil, key)
}
