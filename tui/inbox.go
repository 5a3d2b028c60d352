package tui

import (
	"slices"

	"parley"
)

// inbox is the operator's unread messages.
type inbox struct {
	list   []parley.InboxMessage // the oldest first
	known  bool
	asking bool
	again  bool
	stale  bool // something happened to the operator's messages: the count alone does not tell
	asked  int  // the unread count that list answers
	unseen int  // unread messages for which the list had no room
}

// concerns reports whether an event may change the operator's inbox.
func (b *inbox) concerns(e parley.Event) bool {
	switch {
	case e.Type.Announces():
		return e.Recipient == parley.OperatorName || e.Recipient == "" // for several
	case e.Type == parley.EventDelivery:
		return e.Recipient == parley.OperatorName || e.Agent == parley.OperatorName
	}
	return false
}

// unreadIn returns the unread posts of a thread.
func (b *inbox) unreadIn(thread string) (ids parley.Names) {
	for _, m := range b.list {
		if m.ThreadID == thread {
			ids = append(ids, m.MessageID)
		}
	}
	return ids
}

// drop takes out messages that were just marked read, before the daemon says so.
func (b *inbox) drop(ids ...string) {
	left := slices.Clone(b.list)
	b.list = slices.DeleteFunc(left, func(m parley.InboxMessage) bool { return slices.Contains(ids, m.MessageID) })
}
