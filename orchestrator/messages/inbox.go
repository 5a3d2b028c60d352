package messages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

func (ms *Service) CheckInbox(
	ctx context.Context, req parley.CheckInboxRequest,
) (*parley.CheckInboxResult, error) {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	q := store.InboxQuery{
		RecipientID: me.ID,
		Limit:       cmp.Or(req.Limit, 20),
		UnreadOnly:  !req.IncludeRead,
		OldestFirst: true,
	}
	if req.Sender != "" {
		from, err := ms.Roster.Find(req.Sender)
		if err != nil {
			return nil, err
		}
		q.Senders = []string{from.ID}
	}

	page, err := ms.waitInbox(ctx, me, q, time.Duration(req.WaitSeconds)*time.Second)
	if err != nil {
		return nil, err
	}

	if err := ms.noteGiven(ctx, me, page.Items, "fetched with check_inbox"); err != nil {
		return nil, err
	}

	res := &parley.CheckInboxResult{Answer: parley.OK, UnreadCount: page.Unread, TotalCount: page.Total,
		CheckedAt: ms.Now(), Messages: []parley.InboxMessage{}}
	for _, item := range page.Items {
		res.Messages = append(res.Messages, ms.inboxMessage(item))
	}

	return res, nil
}

// waitInbox reads a page of the inbox. While the page is empty it waits for a message, at most
// patience.
func (ms *Service) waitInbox(
	ctx context.Context, me *team.Member, q store.InboxQuery, patience time.Duration,
) (store.InboxPage, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if patience > 0 {
		defer ms.Store.Events.Attend()()
	}

	for {
		arrived := me.Arrival()
		page, err := ms.Store.Inbox.Page(ctx, q)
		if err != nil || len(page.Items) > 0 || patience <= 0 {
			return page, err
		}

		select {
		case <-arrived:
		case <-ms.Closing:
			return page, nil
		case <-wait.Done():
			return page, ctx.Err()
		}
	}
}

func (ms *Service) inboxMessage(item store.InboxItem) parley.InboxMessage {
	msg := ms.Roster.Names.FillIn(&item.Message)
	return parley.InboxMessage{
		MessageID:        msg.ID,
		Sender:           msg.Sender,
		Content:          msg.Text,
		Timestamp:        msg.Timestamp,
		Read:             item.Read,
		ConversationID:   item.Delivery.ConversationID,
		Priority:         msg.Priority,
		InReplyTo:        msg.InReplyTo,
		ResponseDeadline: msg.ResponseDeadline,
		ResponseStatus:   msg.ResponseStatus,
		ThreadID:         msg.ThreadID,
		Archived:         item.Archived,
	}
}

func (ms *Service) GetMessages(
	ctx context.Context, req parley.GetMessagesRequest,
) (*parley.GetMessagesResult, error) {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	q, err := ms.inboxQuery(ctx, me, &req)
	if err != nil {
		return nil, err
	}

	page, err := ms.Store.Inbox.Page(ctx, q)
	if err != nil {
		return nil, err
	}

	res := &parley.GetMessagesResult{
		Answer:      parley.OK,
		TotalCount:  page.Total,
		UnreadCount: page.Unread,
		Messages:    []parley.ContractMessage{},
	}

	var unread []string
	for _, item := range page.Items {
		res.Messages = append(res.Messages, ContractMessage(ms.Roster, item))
		if !item.Read {
			unread = append(unread, item.Message.ID)
		}
	}

	if *req.MarkRead && len(unread) > 0 {
		_, _, _, err = ms.Store.Inbox.MarkRead(ctx, me.ID, unread, fetched)
		return res, err
	}

	return res, ms.noteGiven(ctx, me, page.Items, fetched)
}

// fetched is the evidence of a message that its recipient got with GetMessages.
const fetched = "fetched with get_messages"

// noteGiven records that a terminal agent was given messages by a call, so that those which wait for
// its terminal are not typed too, and those that were given up do not count as lost. Those that the
// conversation protocol holds wait for its release. Every operation that shows a caller the whole text of a
// message calls it; messages for others do not count.
func (ms *Service) noteGiven(
	ctx context.Context, me *team.Member, items []store.InboxItem, how string,
) error {
	var given []string
	for i := range items {
		if d := &items[i].Delivery; d.RecipientID == me.ID && !d.State.Delivered() &&
			d.Hold == nil {
			given = append(given, items[i].Message.ID)
		}
	}
	if me.Kind != parley.KindTerminal || len(given) == 0 {
		return nil
	}
	return ms.Store.Inbox.NoteGiven(ctx, me.ID, given, how)
}

// inboxQuery translates the filters of a request.
func (ms *Service) inboxQuery(
	ctx context.Context, me *team.Member, req *parley.GetMessagesRequest,
) (q store.InboxQuery, err error) {
	f := req.Filters
	q = store.InboxQuery{
		RecipientID:      me.ID,
		Limit:            req.Limit,
		OldestFirst:      req.SortOrder == "oldest_first",
		UnreadOnly:       f.UnreadOnly,
		Types:            f.MessageTypes,
		Priority:         f.Priority,
		ContextReference: f.ContextReference,
		Since:            later(req.Since, f.Since),
	}

	if req.ThreadID != "" {
		if q.ThreadID, err = ms.Roster.Names.ReadableThread(ctx, me, req.ThreadID); err != nil {
			return q, err
		}
		q.Before = f.Before
	}

	for _, name := range f.Senders {
		from, err := ms.Roster.Find(name)
		if err != nil {
			return q, err
		}
		q.Senders = append(q.Senders, from.ID)
	}

	return q, nil
}

// later returns the later of two times, ignoring nil, or the zero time for two nils.
func later(a, b *time.Time) time.Time {
	var t time.Time
	for _, p := range []*time.Time{a, b} {
		if p != nil && p.After(t) {
			t = *p
		}
	}
	return t
}

// ContractMessage returns an item of an inbox as the seeds name its fields.
func ContractMessage(roster *team.Roster, item store.InboxItem) parley.ContractMessage {
	msg := roster.Names.FillIn(&item.Message)

	return parley.ContractMessage{
		MessageID:     msg.ID,
		SenderAgentID: msg.SenderID,
		SenderName:    msg.Sender,
		SenderRole:    msg.SenderRole,
		MessageType:   msg.Type,
		Content: parley.Content{
			Text:        msg.Text,
			Data:        msg.Data,
			Attachments: append([]json.RawMessage{}, msg.Attachments...),
		},
		Priority:         msg.Priority,
		Timestamp:        msg.Timestamp,
		ReadStatus:       item.Read,
		ConversationID:   item.Delivery.ConversationID,
		ContextReference: msg.ContextReference,
		InReplyTo:        msg.InReplyTo,
		ThreadID:         msg.ThreadID,
		RequiresResponse: msg.RequiresResponse,
		ResponseDeadline: msg.ResponseDeadline,
		ResponseStatus:   msg.ResponseStatus,
	}
}

func (ms *Service) MarkMessageRead(
	ctx context.Context, req parley.MarkMessageReadRequest,
) (*parley.MarkMessageReadResult, error) {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	res := &parley.MarkMessageReadResult{Answer: parley.OK}
	marked, notFound, already, err := ms.Store.Inbox.MarkRead(ctx, me.ID, req.MessageIDs, "marked by its recipient")
	if err != nil {
		return nil, err
	}
	res.MarkedRead, res.NotFound, res.AlreadyRead = orEmpty(marked), orEmpty(notFound), orEmpty(already)
	return res, nil
}

// orEmpty returns list, or an empty list for nil, so that JSON shows [] and not null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// How many unread messages are previewed, and how many characters of each.
const (
	newShown    = 5
	previewText = 100
)

func (ms *Service) CheckNewMessages(
	ctx context.Context, _ parley.CheckNewMessagesRequest,
) (*parley.CheckNewMessagesResult, error) {
	me, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	items, unread, err := ms.Store.Inbox.Pressing(ctx, me.ID, newShown)
	if err != nil {
		return nil, err
	}

	res := &parley.CheckNewMessagesResult{
		Answer:      parley.OK,
		UnreadCount: unread,
		Message:     unreadSentence(unread),
		Messages:    []parley.NewMessage{},
	}

	var whole []store.InboxItem
	for _, item := range items {
		if line := plain.CleanLine(item.Message.Text); plain.Truncate(line, previewText) == line {
			whole = append(whole, item)
		}
		m := ms.Roster.Names.FillIn(&item.Message)
		res.Messages = append(res.Messages, parley.NewMessage{MessageID: m.ID, Sender: m.Sender, Priority: m.Priority,
			Preview: plain.Truncate(plain.CleanLine(m.Text), previewText)})
	}

	return res, ms.noteGiven(ctx, me, whole, "shown whole by check_new_messages")
}

func unreadSentence(n int) string {
	switch n {
	case 0:
		return "You have no unread messages."
	case 1:
		return "You have 1 unread message."
	}
	return fmt.Sprintf("You have %d unread messages; get_messages reads them.", n)
}
