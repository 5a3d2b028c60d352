package admission

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// ExplainWaiting says for each delivery that waits for a terminal what the root cause is.
func (a *Admission) ExplainWaiting(ctx context.Context, messageID string, ds []parley.Delivery) error {
	for i := range ds {
		d := &ds[i]
		m := a.Roster.ByID(d.RecipientID)
		if m == nil || m.Kind != parley.KindTerminal || d.State.Settled() || d.Hold != nil {
			continue
		}

		first, n, err := a.Store.Deliveries.Ahead(ctx, d.RecipientID, messageID)
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
	if t == nil || !a.State.Live() || a.State == parley.StateIdle {
		return nil
	}
	l := t.Limit.Limit()
	if !l.On || l.Until.IsZero() {
		return nil
	}
	return &l.Until
}

// maxDeadline is how far ahead a deadline may lie. A later one is most likely a typing mistake.
const maxDeadline = 366 * 24 * time.Hour

// Due returns the deadline of a response, or nil if no response is required. Giving a deadline
// requires a response. A deadline in the past or beyond maxDeadline is INVALID_ARGUMENT.
func (a *Admission) Due(required bool, deadline *time.Time) (*time.Time, error) {
	now := a.Now()
	switch {
	case deadline == nil && !required:
		return nil, nil
	case deadline == nil:
		at := now.Add(a.Settings.ResponseDeadline).UTC()
		return &at, nil
	}

	at := deadline.UTC()
	wrong := func(what string) error {
		return parley.Errorf(parley.InvalidArgument, "the deadline %s %s", at.Format(time.RFC3339), what).
			With("parameter", "response_deadline").
			With("now", now.UTC().Format(time.RFC3339)).
			Suggest("Give a time to come, with its zone, such as %s.",
				now.UTC().Add(a.Settings.ResponseDeadline).Format(time.RFC3339))
	}

	switch {
	case !at.After(now):
		return nil, wrong("is in the past")
	case at.Sub(now) > maxDeadline:
		return nil, wrong("is more than a year away")
	}

	return &at, nil
}

// DueBefore returns the deadline of the message stored earlier with this idempotency key, and
// refusal if there is none. A call that is repeated after its deadline has passed is still the
// same call.
func (a *Admission) DueBefore(
	ctx context.Context, from *team.Member, key string, deadline *time.Time, refusal error,
) (*time.Time, error) {
	if key == "" || deadline == nil {
		return nil, refusal
	}
	stored, found, err := a.Store.Idempotency.Repeated(ctx, from.ID, key)
	if was := stored.Message.ResponseDeadline; err == nil && found && was != nil && was.Equal(*deadline) {
		return was, nil
	}
	return nil, refusal
}

// Receipt builds the result of a send. A send to a single recipient that cannot get it is
// reported as a failure.
func (a *Admission) Receipt(stored store.Appended) *parley.SendMessageResult {
	d := stored.Deliveries
	res := &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		Timestamp:      stored.Message.Timestamp,
		DeliveryStatus: parley.SumUp(d),
		Deliveries:     a.Roster.Names.FillInDeliveries(d),
		Object:         a.Roster.Names.FillIn(&stored.Message),
	}

	if th := stored.Message.ThreadID; th != "" {
		res.ConversationID = th
		res.Message = "Message sent to thread " + parley.Short(th)
		res.Status = fmt.Sprintf(`Message sent to thread %s "%s"!`, parley.Short(th),
			parley.ShownTitle(res.Object.ThreadTitle))

		return res
	}

	if len(d) == 1 {
		res.ConversationID = d[0].ConversationID
		res.Status = fmt.Sprintf("Message sent to %s!", d[0].Recipient)
		res.Message = "Message sent to agent " + parley.Short(d[0].RecipientID)
		if d[0].State == parley.DeliveryFailed {
			res.Message = failedToSend(d[0].RecipientID)
			res.Status, res.Success = res.Message, false
			res.Error, res.ErrorCode = &res.Message, parley.AgentUnavailable
			res.Action = fmt.Sprintf(
				"%[1]s is stopped. Ask the operator to start it again (parley restart %[1]s), "+
					"or send to another agent; get_agent_status lists them.",
				d[0].Recipient,
			)
		}

		return res
	}

	res.Status = fmt.Sprintf("Message sent to %d agents!", len(d))
	res.Message = fmt.Sprintf("Message sent to %d agents", len(d))

	return res
}

// Await waits until every delivery is settled, at most the given number of seconds, and
// refreshes the deliveries.
func (a *Admission) Await(ctx context.Context, stored *store.Appended, seconds int) error {
	if seconds <= 0 || settled(stored.Deliveries) {
		return nil
	}

	wait, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()

	for {
		seen := a.Store.Events.LastEvent()
		_, deliveries, err := a.Store.Messages.Message(ctx, stored.Message.ID)
		if err != nil {
			return err
		}

		stored.Deliveries = deliveries
		if settled(deliveries) || a.Store.Events.WaitEvent(wait, seen) != nil {
			return ctx.Err()
		}
	}
}

func settled(deliveries []parley.Delivery) bool {
	return !slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return !d.State.Settled() })
}
