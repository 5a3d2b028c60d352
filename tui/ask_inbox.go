package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// inboxPage is how many unread messages are listed: more than fit on a screen.
const inboxPage = 50

// inboxMsg is the operator's inbox; unread is the count for which it was read.
type inboxMsg struct {
	list   []parley.InboxMessage
	unread int
	err    error
}

// readMsg says whether messages could be marked read.
type readMsg struct{ err error }

// askInbox reads the inbox when the count of unread messages has changed.
func (d *shared) askInbox() tea.Cmd {
	b, unread := &d.inbox, d.team.unread
	if b.asking {
		b.again = true
		return nil
	}

	if b.known && b.asked == unread && !b.stale {
		return nil
	}

	b.asking, b.stale = true, false

	return d.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		if unread == 0 {
			return inboxMsg{}
		}

		res, err := s.CheckInbox(ctx, parley.CheckInboxRequest{Limit: inboxPage})
		if err != nil {
			return inboxMsg{err: err, unread: unread}
		}

		return inboxMsg{list: res.Messages, unread: unread}
	})
}

func (d *shared) takeInbox(msg inboxMsg) tea.Cmd {
	b := &d.inbox
	again := b.again
	b.asking, b.again = false, false
	if msg.err != nil {
		d.link.gone(msg.err)
		return nil
	}

	b.list, b.known, b.asked, b.unseen = msg.list, true, msg.unread, max(0, msg.unread-len(msg.list))
	news := d.notifier.ringForMessages(d.now, b.list)
	if again {
		return tea.Batch(news, d.askInbox())
	}

	return news
}

// markMessagesRead returns the request that marks messages read.
func markMessagesRead(ids ...string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		_, err := s.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: ids})
		return readMsg{err}
	}
}
