package client_test

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"parley"
)

// item is a letter as one recipient has it.
type item struct {
	*letter
	*parley.Delivery
}

// inbox returns what came for an agent, oldest first.
func (m *memory) inbox(id string) []item {
	list := []item{}
	for _, l := range m.messages {
		for _, d := range l.deliveries {
			if d.RecipientID == id && d.State.Delivered() {
				list = append(list, item{l, d})
			}
		}
	}
	return list
}

func (i item) read() bool { return i.State.Read() }

func (i item) mark() {
	if !i.read() {
		i.State = parley.DeliveryRead
		i.Steps = append(
			slices.Clone(i.Steps),
			parley.Step{State: parley.DeliveryRead, At: time.Now(), Evidence: "asked for"},
		)
	}
}

func (i item) inboxMessage() parley.InboxMessage {
	return parley.InboxMessage{
		MessageID:      i.ID,
		Sender:         i.Sender,
		Content:        i.Text,
		Timestamp:      i.Timestamp,
		Read:           i.read(),
		ConversationID: i.ConversationID,
		Priority:       i.Priority,
		InReplyTo:      i.InReplyTo,
		ThreadID:       i.ThreadID,
		Archived:       i.AnsweredBy != "" || slices.Contains(i.ignored, i.RecipientID),
	}
}

func unread(list []item) (n int) {
	for _, i := range list {
		if !i.read() {
			n++
		}
	}
	return n
}

func (m *memory) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	id, sender := parley.CallerFrom(ctx).ID, ""
	if r.Sender != "" {
		m.mu.Lock()
		a, err := m.find(r.Sender)
		m.mu.Unlock()
		if err != nil {
			return nil, err
		}

		sender = a.ID
	}

	var all, shown []item
	look := func() bool {
		all = slices.DeleteFunc(m.inbox(id), func(i item) bool { return sender != "" && i.SenderID != sender })
		shown = slices.DeleteFunc(slices.Clone(all), func(i item) bool { return i.read() && !r.IncludeRead })
		return len(shown) > 0
	}

	if err := m.wait(ctx, r.WaitSeconds, look); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()

	look()
	res := &parley.CheckInboxResult{
		Answer:      parley.OK,
		UnreadCount: unread(all),
		TotalCount:  len(all),
		CheckedAt:   time.Now(),
		Messages:    []parley.InboxMessage{},
	}

	for _, i := range shown[:min(len(shown), r.Limit)] {
		res.Messages = append(res.Messages, i.inboxMessage())
	}

	return res, nil
}

func (m *memory) matches(f *parley.MessageFilters, i item) bool {
	return (len(f.MessageTypes) == 0 || slices.Contains(f.MessageTypes, i.Type)) &&
		(f.Priority == "" || f.Priority == i.Priority) && (!f.UnreadOnly || !i.read()) &&
		(f.ContextReference == "" || f.ContextReference == i.ContextReference) && (f.Since == nil || i.Timestamp.After(*f.Since)) &&
		(len(f.Senders) == 0 || slices.ContainsFunc(f.Senders, (parley.Caller{ID: i.SenderID, Name: i.Sender}).Is))
}

func (m *memory) GetMessages(ctx context.Context, r parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	list := m.inbox(parley.CallerFrom(ctx).ID)
	if r.ThreadID != "" {
		var err error
		if list, err = m.thread(ctx, r.ThreadID); err != nil {
			return nil, err
		}
	}

	list = slices.DeleteFunc(list, func(i item) bool { return !m.matches(r.Filters, i) })
	if r.SortOrder == "newest_first" {
		slices.Reverse(list)
	}

	res := &parley.GetMessagesResult{
		Answer:      parley.OK,
		Messages:    []parley.ContractMessage{},
		TotalCount:  len(list),
		UnreadCount: unread(list),
	}

	if r.ThreadID != "" && r.Filters.Before != "" {
		i := slices.IndexFunc(list, func(i item) bool { return i.ID == r.Filters.Before })
		if i < 0 {
			return nil, parley.Errorf(parley.MessageNotFound, "no message %s", r.Filters.Before).
				Suggest("Give the id of a post of the thread.")
		}

		if r.SortOrder == "newest_first" {
			list = list[i+1:]
		} else {
			list = list[:i]
		}
	}

	for _, i := range list[:min(len(list), r.Limit)] {
		res.Messages = append(
			res.Messages,
			parley.ContractMessage{MessageID: i.ID, SenderAgentID: i.SenderID, SenderName: i.Sender,
				MessageType: i.Type, Content: parley.Content{Text: i.Text, Data: i.Data, Attachments: append([]json.RawMessage{}, i.Attachments...)}, Priority: i.Priority,
				Timestamp: i.Timestamp, ReadStatus: i.read(), ConversationID: i.ConversationID, ContextReference: i.ContextReference, InReplyTo: i.InReplyTo,
				RequiresResponse: i.RequiresResponse, ResponseDeadline: i.ResponseDeadline, ResponseStatus: i.ResponseStatus, ThreadID: i.ThreadID},
		)

		if *r.MarkRead {
			i.mark()
		}
	}

	return res, nil
}

func (m *memory) MarkMessageRead(
	ctx context.Context,
	r parley.MarkMessageReadRequest,
) (*parley.MarkMessageReadResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	mine := m.inbox(parley.CallerFrom(ctx).ID)
	res := &parley.MarkMessageReadResult{
		Answer:      parley.OK,
		MarkedRead:  []string{},
		NotFound:    []string{},
		AlreadyRead: []string{},
	}

	seen := map[string]bool{}
	for _, id := range r.MessageIDs {
		if seen[id] {
			continue
		}

		seen[id] = true
		n := slices.IndexFunc(mine, func(i item) bool { return i.ID == id })
		switch {
		case n < 0 && m.late(id, parley.CallerFrom(ctx).ID):
			res.AlreadyRead = append(res.AlreadyRead, id)
		case n < 0:
			res.NotFound = append(res.NotFound, id)
		case mine[n].read():
			res.AlreadyRead = append(res.AlreadyRead, id)
		default:
			mine[n].mark()
			res.MarkedRead = append(res.MarkedRead, id)
		}
	}

	return res, nil
}

// late reports whether an id is that of another's post in a thread that one takes part in.
func (m *memory) late(id, me string) bool {
	l := m.letter(id)
	return l != nil && l.ThreadID != "" && l.SenderID != me && m.concerns(l, me)
}

func (m *memory) GetMessageStatus(
	ctx context.Context,
	r parley.MessageStatusRequest,
) (*parley.MessageStatusResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	c, l := parley.CallerFrom(ctx), m.letter(r.MessageID)
	if l == nil || !c.Operator && !m.concerns(l, c.ID) {
		return nil, parley.Errorf(parley.MessageNotFound, "there is no such message").
			Suggest("check_inbox shows the ids.")
	}

	object := l.Message

	return &parley.MessageStatusResult{
		Answer:         parley.OK,
		Object:         &object,
		DeliveryStatus: parley.SumUp(l.copies()),
		Deliveries:     l.copies(),
		Responses:      l.responses(),
	}, nil
}

func (m *memory) GetConversationHistory(ctx context.Context, r parley.HistoryRequest) (*parley.HistoryResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	me := parley.CallerFrom(ctx).ID
	a, err := m.find(r.With)
	if err != nil {
		return nil, err
	}

	list := []item{}
	for _, l := range m.messages {
		for _, d := range l.deliveries {
			if (l.Kind == parley.KindDirect || l.Kind == parley.KindSteering) &&
				d.ConversationID == parley.ConversationID(me, a.ID) {
				list = append(list, item{l, d})
			}
		}
	}

	res := &parley.HistoryResult{
		Answer:         parley.OK,
		ConversationID: parley.ConversationID(me, a.ID),
		WithAgent:      a.Name,
		TotalMessages:  len(list),
		Messages:       []parley.InboxMessage{},
		Participants:   []string{parley.CallerFrom(ctx).Name, a.Name},
		Status:         m.statusOf(false, me, a.ID),
	}

	if len(list) > 0 {
		res.CreatedAt, res.LastMessageAt = &list[0].Timestamp, &list[len(list)-1].Timestamp
	}

	if r.Before != "" {
		end := slices.IndexFunc(list, func(i item) bool { return i.ID == r.Before })
		if end < 0 {
			return nil, parley.Errorf(parley.MessageNotFound, "there is no such message").
				Suggest("Give an id of this conversation.")
		}
		list = list[:end]
	}

	res.HasMore = len(list) > r.Limit
	for _, i := range list[max(0, len(list)-r.Limit):] {
		res.Messages = append(res.Messages, i.inboxMessage())
	}

	return res, nil
}

func (m *memory) ReadEvents(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	c := parley.CallerFrom(ctx)
	res := &parley.ReadEventsResult{Answer: parley.OK}
	look := func() bool {
		res.Events, res.Next = []parley.Event{}, r.After
		for _, e := range m.events {
			if e.Seq > r.After && (c.Operator || slices.Contains(e.sees, c.ID)) {
				res.Events = append(res.Events, e.Event)
			}
		}

		if r.Last > 0 {
			res.Events = res.Events[max(0, len(res.Events)-r.Last):]
		}

		res.Events = res.Events[:min(len(res.Events), r.Limit)]
		if n := len(res.Events); n > 0 {
			res.Next = res.Events[n-1].Seq
		}

		return len(res.Events) > 0
	}

	if err := m.wait(ctx, r.WaitSeconds, look); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()

	look()

	return res, nil
}

// ReportState is refused: nobody here has a terminal.
func (m *memory) ReportState(context.Context, parley.ReportStateRequest) (*parley.ReportStateResult, error) {
	return nil, parley.Errorf(parley.NotAuthorized, "there is no terminal").Suggest("Leave it to those who have one.")
}
