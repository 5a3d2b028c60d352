package client_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// SearchMessages looks for words as they are, and knows no phrases but of one piece.
func (m *memory) SearchMessages(
	ctx context.Context,
	r parley.SearchMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c := parley.CallerFrom(ctx)
	res := &parley.SearchMessagesResult{Answer: parley.OK, Messages: []parley.FoundMessage{}}
	ids := map[string]string{}
	for _, ref := range []string{r.From, r.To} {
		if ref == "" {
			continue
		}

		a, err := m.find(ref)
		if err != nil {
			return nil, err
		}

		ids[ref] = a.ID
	}

	words := strings.Fields(strings.ToLower(r.Query))
	if strings.Contains(r.Query, `"`) {
		words = []string{strings.ToLower(strings.ReplaceAll(r.Query, `"`, ""))}
	}

	if !strings.ContainsFunc(
		r.Query,
		func(r rune) bool { return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' },
	) {
		return nil, parley.Errorf(parley.InvalidArgument, "there is no word").Suggest("Give a word.")
	}

	for _, l := range slices.Backward(m.messages) {
		has := func(id string) bool {
			return slices.ContainsFunc(l.deliveries, func(d *parley.Delivery) bool { return d.RecipientID == id })
		}

		lacks := func(word string) bool { return !strings.Contains(strings.ToLower(l.Text), word) }
		switch {
		case !c.Operator && !m.concerns(l, c.ID), slices.ContainsFunc(words, lacks),
			r.From != "" && l.SenderID != ids[r.From], r.To != "" && !has(ids[r.To]),
			r.Since != nil && !l.Timestamp.After(*r.Since), r.Until != nil && l.Timestamp.After(*r.Until):
			continue
		}

		if res.HasMore = len(res.Messages) == r.Limit; res.HasMore {
			break
		}

		res.Messages = append(res.Messages, foundLetter(l, c.ID))
	}

	return res, nil
}

func foundLetter(l *letter, me string) parley.FoundMessage {
	f := parley.FoundMessage{Snippet: l.Text, RecipientIDs: []string{}, RecipientCount: len(l.deliveries)}
	f.ContractMessage = parley.ContractMessage{
		MessageID:        l.ID,
		SenderAgentID:    l.SenderID,
		SenderName:       l.Sender,
		SenderRole:       l.SenderRole,
		MessageType:      l.Type,
		Content:          parley.Content{Text: l.Text, Data: l.Data, Attachments: []json.RawMessage{}},
		Priority:         l.Priority,
		Timestamp:        l.Timestamp,
		ReadStatus:       true,
		ContextReference: l.ContextReference,
		InReplyTo:        l.InReplyTo,
	}

	for _, d := range l.deliveries {
		f.RecipientIDs = append(f.RecipientIDs, d.RecipientID)
		if d.RecipientID == me {
			f.ReadStatus, f.ConversationID = item{l, d}.read(), d.ConversationID
		}
	}

	switch l.Kind {
	case parley.KindDirect:
		f.ConversationID = l.deliveries[0].ConversationID
	case parley.KindThread:
		f.ConversationID, f.ThreadID = l.ThreadID, l.ThreadID
	}

	return f
}

// urgency orders priorities.
var urgency = []parley.Priority{parley.PriorityUrgent, parley.PriorityHigh, parley.PriorityNormal, parley.PriorityLow}

func (m *memory) CheckNewMessages(
	ctx context.Context,
	_ parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	list := slices.DeleteFunc(m.inbox(parley.CallerFrom(ctx).ID), item.read)
	res := &parley.CheckNewMessagesResult{
		Answer:      parley.OK,
		UnreadCount: len(list),
		Message:     fmt.Sprintf("You have %d unread message(s).", len(list)),
		Messages:    []parley.NewMessage{},
	}

	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b item) int {
		return cmp.Compare(slices.Index(urgency, a.Priority), slices.Index(urgency, b.Priority))
	})

	for _, i := range list[:min(len(list), 5)] {
		res.Messages = append(
			res.Messages,
			parley.NewMessage{MessageID: i.ID, Sender: i.Sender, Priority: i.Priority, Preview: i.Text},
		)
	}

	return res, nil
}
