package client_test

import (
	"context"

	"parley"
)

// ExportMessages gives whole letters by their place among all.
func (m *memory) ExportMessages(
	_ context.Context,
	r parley.ExportMessagesRequest,
) (*parley.ExportMessagesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	res := &parley.ExportMessagesResult{Answer: parley.OK, Messages: []parley.ExportedMessage{}, Next: r.After}
	var ids []string
	for _, ref := range r.Between {
		a, err := m.find(ref)
		if err != nil {
			return nil, err
		}
		ids, res.Between = append(ids, a.ID), append(res.Between, a.Name)
	}

	if len(ids) == 2 && ids[0] == ids[1] {
		return nil, parley.Errorf(parley.InvalidRecipient, "both are one").Suggest("Name two.")
	}

	if r.ThreadID != "" {
		d, err := m.discussion(r.ThreadID)
		if err != nil {
			return nil, err
		}
		th := m.named(d)
		res.Thread, r.ThreadID = &th, th.ID
	}

	for i, l := range m.messages {
		number := int64(i + 1)
		switch {
		case r.ThreadID != "" && l.ThreadID != r.ThreadID, r.Since != nil && !l.Timestamp.After(*r.Since):
			continue
		case len(ids) == 2 && (l.Kind != parley.KindDirect && l.Kind != parley.KindSteering || l.deliveries[0].ConversationID != parley.ConversationID(ids[0], ids[1])):
			continue
		}

		if r.After == 0 {
			res.TotalCount++
		}

		switch {
		case number <= r.After:
		case len(res.Messages) == r.Limit:
			res.HasMore = true
		default:
			res.Messages = append(res.Messages, parley.ExportedMessage{Message: l.Message, Deliveries: l.copies()})
			res.Next = number
		}
	}

	return res, nil
}
