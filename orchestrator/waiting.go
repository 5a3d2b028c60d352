package orchestrator

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// explainWaiting says for each delivery that waits for a terminal what the root cause is.
func (a *admission) explainWaiting(ctx context.Context, messageID string, ds []parley.Delivery) error {
	for i := range ds {
		d := &ds[i]
		m := a.roster.ByID(d.RecipientID)
		if m == nil || m.Kind != parley.KindTerminal || d.State.Settled() || d.Hold != nil {
			continue
		}

		first, n, err := a.store.Ahead(ctx, d.RecipientID, messageID)
		if err != nil {
			return err
		}
		if first == nil || n == 0 && first.ReasonCode == "" {
			continue // it is in hand
		}
		d.WaitsCode = first.ReasonCode
		d.WaitsFor = rootCause(m, first.ReasonCode, first.Reason, lastStep(first), n).Sentence(a.now())
	}
	return nil
}

// rootCause describes what keeps the first message to an agent, and with it the others. since is when
// that message began to wait for it.
func rootCause(m *team.Member, code parley.ReasonCode, reason string, since time.Time, ahead int) parley.Waiting {
	agent := m.Agent()
	if code.LastsWith(agent.State) {
		since = agent.Since
	}
	w := parley.Waiting{Agent: m.Name, Ahead: ahead, Code: code, Reason: reason, Since: since}
	if until := limitedUntil(m, &agent); until != nil && code == parley.HoldLimit {
		w.Until = *until
	}
	return w
}

// lastStep returns when a delivery reached the rung that it is on.
func lastStep(d *parley.Delivery) time.Time {
	if len(d.Steps) == 0 {
		return time.Time{}
	}
	return d.Steps[len(d.Steps)-1].At
}

// limitedUntil returns when the usage limit of an agent ends, nil if it is at none, or that is not
// known.
func limitedUntil(m *team.Member, a *parley.Agent) *time.Time {
	t := m.Terminal()
	if t == nil || a.State != parley.StateBlocked {
		return nil
	}
	l := t.Limit.Limit()
	if !l.On || l.Until.IsZero() {
		return nil
	}
	return &l.Until
}
