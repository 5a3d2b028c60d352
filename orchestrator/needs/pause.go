package needs

import (
	"context"

	"parley"
)

// PauseCommunication does op.PauseCommunication. A message that is being typed is finished.
func (ops *Service) PauseCommunication(
	ctx context.Context, req parley.PauseCommunicationRequest,
) (*parley.PauseCommunicationResult, error) {
	by, err := ops.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if err := ops.Pause.Change(ctx, ops.Store, by, req, ops.Now()); err != nil {
		return nil, err
	}

	for _, m := range ops.Roster.All() {
		m.Wake() // the reason that its messages wait has changed
	}

	counts, err := ops.Store.DeliveryCounts(ctx)
	if err != nil {
		return nil, err
	}

	res := &parley.PauseCommunicationResult{Answer: parley.OK, Paused: ops.Pause.Is(), Message: "Messages go on."}
	for _, state := range []parley.DeliveryState{parley.DeliveryQueued, parley.DeliveryHeld, parley.DeliveryTyping} {
		res.Waiting += counts[string(state)]
	}

	if res.Paused != nil {
		res.Message = "Communication is paused: messages are refused, deliveries wait."
	}

	return res, nil
}
