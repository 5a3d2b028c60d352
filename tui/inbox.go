package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// inboxPage is how many unread messages are listed: more than fit on a screen.
const inboxPage = 50

// inbox is what came for the operator and is not read yet.
type inbox struct {
	list   []parley.InboxMessage // the oldest first
	known  bool
	asking bool
	again  bool
	asked  int // the unread count that list answers
}

// inboxMsg is an answer about it; unread is the count that made the screen ask.
type inboxMsg struct {
	list   []parley.InboxMessage
	unread int
	err    error
}

// lookInto asks for the inbox when the count of unread messages is another than
// that of the list.
func (d *desk) lookInto() tea.Cmd {
	b := &d.inbox
	if b.asking {
		b.again = true
		return nil
	}

	if b.known && b.asked == d.team.unread {
		return nil
	}

	b.asking = true
	unread := d.team.unread

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

func (d *desk) lookedInto(msg inboxMsg) tea.Cmd {
	b := &d.inbox
	again := b.again
	b.asking, b.again = false, false
	if msg.err != nil {
		d.daemonGone(msg.err)
		return nil
	}

	b.list, b.known, b.asked = msg.list, true, msg.unread
	news := d.letterNews()
	if again {
		return tea.Batch(news, d.lookInto())
	}

	return news
}

// unreadIn counts what is unread in a thread.
func (b *inbox) unreadIn(thread string) int {
	n := 0
	for _, m := range b.list {
		if m.ThreadID == thread {
			n++
		}
	}
	return n
}

// marked takes messages out that were just marked read, before the daemon says so.
func (b *inbox) marked(ids ...string) {
	var left []parley.InboxMessage
	for _, m := range b.list {
		keep := true
		for _, id := range ids {
			keep = keep && m.MessageID != id
		}
		if keep {
			left = append(left, m)
		}
	}
	b.list = left
}
