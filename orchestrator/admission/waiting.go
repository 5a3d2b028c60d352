package admission

import (
	"context"
	"time"

	"parley"
	"parley/orchestrator/team"
)

// ExplainWaiting says for each delivery that waits for a terminal what the root cause is.
func (a *Admission) ExplainWaiting(ctx context.Context, messageID string, ds []parley.Delivery) error {
	for i := range ds {
		d := &ds[i]
		m := a.Roster.ByID(d.RecipientID)
		if m == nil || m.Kind != parley.KindTerminal || d.State.Settled() || d.Hold != nil {
			continue
		}

		first, n, err := a.Store.Ahead(ctx, d.RecipientID, messageID)
		if err != nil {
			return err
		}
		if first == nil || n == 0 && first.ReasonCode == "" {
			continue // it is in hand
		}
		d.WaitsCode = first.ReasonCode
		d.WaitsFor = RootCause(m, first.ReasonCode, first.Reason, LastStep(first), n).Sentence(a.Now())
	}
	return nil
}

// RootCause describes what keeps the first message to an agent, and with it the others. since is when
// that message began to wait for it.
func RootCause(m *team.Member, code parley.ReasonCode, reason string, since time.Time, ahead int) parley.Waiting {
	agent := m.Agent()
	if code.LastsWith(agent.State) {
		since = agent.Since
	}
	w := parley.Waiting{Agent: m.Name, Ahead: ahead, Code: code, Reason: reason, Since: since}
	if until := LimitedUntil(m, &agent); until != nil && code == parley.HoldLimit {
		w.Until = *until
	}
	return w
}

// LastStep returns when a delivery reached the rung that it is on.
func LastStep(d *parley.Delivery) time.Time {
	if len(d.Steps) == 0 {
		return time.Time{}
	}
	return d.Steps[len(d.Steps)-1].At
}

// LimitedUntil returns when the usage limit of an agent ends, nil if it is at none, or that is not
// known.
func LimitedUntil(m *team.Member, a *parley.Agent) *time.Time {
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
