package orchestrator

import (
	"context"

	"parley"
	"parley/store"
)

// GetMessageStatus does op.GetMessageStatus.
func (ms *messageService) GetMessageStatus(
	ctx context.Context, req parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	msg, deliveries, err := ms.admission.visible(ctx, parley.CallerFrom(ctx), req.MessageID)
	if err != nil {
		return nil, err
	}

	stored := store.Appended{Message: msg, Deliveries: deliveries}
	if err := ms.admission.await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	if err := ms.admission.explainWaiting(ctx, msg.ID, stored.Deliveries); err != nil {
		return nil, err
	}

	res := &parley.MessageStatusResult{Answer: parley.OK, Object: ms.roster.FillIn(&stored.Message),
		DeliveryStatus: parley.SumUp(stored.Deliveries), Deliveries: ms.roster.FillInDeliveries(stored.Deliveries)}
	if msg.RequiresResponse {
		if res.Responses, err = ms.store.Debts.List(ctx, msg.ID); err != nil {
			return nil, err
		}
	}

	return res, ms.noteShown(ctx, msg, stored.Deliveries, "fetched with get_message_status")
}

// noteShown is noteGiven for one message whose whole text the caller is shown.
func (ms *messageService) noteShown(
	ctx context.Context, msg parley.Message, deliveries []parley.Delivery, evidence string,
) error {
	me, err := ms.roster.Caller(ctx)
	if err != nil {
		return nil // it has no messages
	}
	items := make([]store.InboxItem, len(deliveries))
	for i, d := range deliveries {
		items[i] = store.InboxItem{Message: msg, Delivery: d}
	}
	return ms.noteGiven(ctx, me, items, evidence)
}
