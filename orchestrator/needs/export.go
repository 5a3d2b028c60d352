package needs

import (
	"cmp"
	"context"

	"parley"
	"parley/store"
)

// ExportMessages does op.ExportMessages.
func (ops *Service) ExportMessages(
	ctx context.Context, req parley.ExportMessagesRequest,
) (*parley.ExportMessagesResult, error) {
	q := store.ExportQuery{After: req.After, Limit: cmp.Or(req.Limit, 100)}
	if req.Since != nil {
		q.Since = *req.Since
	}

	res := &parley.ExportMessagesResult{Answer: parley.OK, Messages: []parley.ExportedMessage{}}
	for i, ref := range req.Between {
		m, err := ops.Roster.Find(ref)
		if err != nil {
			return nil, err
		}
		res.Between = append(res.Between, m.Name)
		*[]*string{&q.A, &q.B}[i] = m.ID
	}

	if q.A != "" && q.A == q.B {
		return nil, parley.Errorf(parley.InvalidRecipient, "both are %s", res.Between[0]).
			Suggest("Name two who talked to each other.")
	}

	if req.ThreadID != "" {
		th, err := ops.Store.Threads.Thread(ctx, req.ThreadID)
		if err != nil {
			return nil, err
		}
		th = ops.Roster.FillInThread(th)
		q.ThreadID, res.Thread = th.ID, &th
	}

	page, err := ops.Store.Messages.Export(ctx, q)
	if err != nil {
		return nil, err
	}

	for _, m := range page.Messages {
		ops.Roster.FillIn(&m.Message)
		ops.Roster.FillInDeliveries(m.Deliveries)
		res.Messages = append(res.Messages, m)
	}

	res.Next, res.HasMore, res.TotalCount = page.Next, page.HasMore, page.Total

	return res, nil
}
