package room

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
)

// inboxPage is how many unread messages are listed: more than fit on a screen.
const inboxPage = 50

// InboxMsg is the operator's inbox; unread is the count for which it was read.
type InboxMsg struct {
	list   []parley.InboxMessage
	unread int
	err    error
}

// ReadMsg says whether messages could be marked read.
type ReadMsg struct{ Err error }

// AskInbox reads the inbox when the count of unread messages has changed.
func (d *Shared) AskInbox() tea.Cmd {
	b, unread := &d.Inbox, d.Team.Unread
	if b.Asking {
		b.Again = true
		return nil
	}

	if b.Known && b.Asked == unread && !b.Stale {
		return nil
	}

	b.Asking, b.Stale = true, false

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		if unread == 0 {
			return InboxMsg{}
		}

		res, err := op.CheckInbox.Call(ctx, s, parley.CheckInboxRequest{Limit: inboxPage})
		if err != nil {
			return InboxMsg{err: err, unread: unread}
		}

		return InboxMsg{list: res.Messages, unread: unread}
	})
}

// TakeInbox takes the operator's unread messages, and rings for new ones.
func (d *Shared) TakeInbox(msg InboxMsg) tea.Cmd {
	b := &d.Inbox
	again := b.Again
	b.Asking, b.Again = false, false
	if msg.err != nil {
		d.Link.Gone(msg.err)
		return nil
	}

	b.List, b.Known, b.Asked, b.Unseen = msg.list, true, msg.unread, max(0, msg.unread-len(msg.list))
	news := d.notifier.ringForMessages(d.Now, b.List)
	if again {
		return tea.Batch(news, d.AskInbox())
	}

	return news
}

// MarkMessagesRead returns the request that marks messages read.
func MarkMessagesRead(ids ...string) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		_, err := op.MarkMessageRead.Call(ctx, s, parley.MarkMessageReadRequest{MessageIDs: ids})
		return ReadMsg{err}
	}
}
