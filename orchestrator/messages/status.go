package messages

import (
	"context"

	"parley"
	"parley/store"
)

// GetMessageStatus does op.GetMessageStatus.
func (ms *Service) GetMessageStatus(
	ctx context.Context, req parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	msg, deliveries, err := ms.Admission.Visible(ctx, parley.CallerFrom(ctx), req.MessageID)
	if err != nil {
		return nil, err
	}

	stored := store.Appended{Message: msg, Deliveries: deliveries}
	if err := ms.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	if err := ms.Admission.ExplainWaiting(ctx, msg.ID, stored.Deliveries); err != nil {
		return nil, err
	}

	res := &parley.MessageStatusResult{Answer: parley.OK, Object: ms.Roster.FillIn(&stored.Message),
		DeliveryStatus: parley.SumUp(stored.Deliveries), Deliveries: ms.Roster.FillInDeliveries(stored.Deliveries)}
	if msg.RequiresResponse {
		if res.Responses, err = ms.Store.Debts.List(ctx, msg.ID); err != nil {
			return nil, err
		}
	}

	return res, ms.noteShown(ctx, msg, stored.Deliveries, "fetched with get_message_status")
}

// noteShown is noteGiven for one message whose whole text the caller is shown.
func (ms *Service) noteShown(
	ctx context.Context, msg parley.Message, deliveries []parley.Delivery, evidence string,
) error {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil // it has no messages
	}
	items := make([]store.InboxItem, len(deliveries))
	for i, d := range deliveries {
		items[i] = store.InboxItem{Message: msg, Delivery: d}
	}
	return ms.noteGiven(ctx, me, items, evidence)
}
