package messages

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/store"
)

// timePointer returns nil for the zero time.
func timePointer(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// GetConversationHistory does op.GetConversationHistory.
func (ms *Service) GetConversationHistory(
	ctx context.Context, req parley.HistoryRequest,
) (*parley.HistoryResult, error) {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	other, err := ms.Roster.Find(req.With)
	if err != nil {
		return nil, err
	}

	page, err := ms.Store.History(
		ctx, store.HistoryQuery{A: me.ID, B: other.ID, Limit: cmp.Or(req.Limit, 50), Before: req.Before},
	)
	if err != nil {
		return nil, err
	}

	res := &parley.HistoryResult{
		Answer:         parley.OK,
		ConversationID: parley.ConversationID(me.ID, other.ID),
		WithAgent:      other.Name,
		Messages:       []parley.InboxMessage{},
		HasMore:        page.HasMore,
		TotalMessages:  page.Total,
		Participants:   []string{me.Name, other.Name},
		CreatedAt:      timePointer(page.First),
		LastMessageAt:  timePointer(page.Last),
		Status:         ms.Roster.StatusOf(false, me.ID, other.ID),
	}

	for _, item := range page.Items {
		res.Messages = append(res.Messages, ms.inboxMessage(item))
	}

	return res, ms.noteGiven(ctx, me, page.Items, "fetched with get_conversation_history")
}
