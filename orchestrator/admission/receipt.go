package admission

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/store"
)

// Receipt builds the result of a send. A send to a single recipient that cannot get it is
// reported as a failure.
func (a *Admission) Receipt(stored store.Appended) *parley.SendMessageResult {
	d := stored.Deliveries
	res := &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      stored.Message.ID,
		Timestamp:      stored.Message.Timestamp,
		DeliveryStatus: parley.SumUp(d),
		Deliveries:     a.Roster.FillInDeliveries(d),
		Object:         a.Roster.FillIn(&stored.Message),
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
