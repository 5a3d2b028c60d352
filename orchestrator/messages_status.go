package orchestrator

import (
	"context"
	"slices"

	"parley"
	"parley/store"
)

// GetMessageStatus implements parley.MessageService.
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

// visible returns a message and its deliveries if the caller is the operator, sent it, got it,
// or takes part in its thread. For other callers the message does not exist: the error is
// MESSAGE_NOT_FOUND, in the same words as if there were none.
func (a *admission) visible(
	ctx context.Context, c parley.Caller, ref string,
) (parley.Message, []parley.Delivery, error) {
	msg, deliveries, err := a.store.Message(ctx, ref)
	if !c.Operator && parley.ErrorCode(err) == parley.MessageNotFound {
		err = notYours(ref)
	}
	if err != nil {
		return msg, nil, err
	}

	if c.Operator || msg.SenderID == c.ID ||
		slices.ContainsFunc(deliveries, func(d parley.Delivery) bool { return d.RecipientID == c.ID }) {
		return msg, deliveries, nil
	}

	if me := a.roster.ByID(c.ID); msg.ThreadID != "" && me != nil {
		if _, err := a.roster.ReadableThread(ctx, me, msg.ThreadID); err == nil {
			return msg, deliveries, nil
		}
	}

	return parley.Message{}, nil, notYours(ref)
}

func notYours(ref string) error {
	return parley.Errorf(parley.MessageNotFound, "there is no message %q of yours", parley.CleanLine(ref)).
		Suggest("Use the message_id that send_message or check_inbox gave you.")
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
