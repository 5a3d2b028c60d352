package team

import (
	"slices"

	"parley"
)

// Inbox is the operator's unread messages.
type Inbox struct {
	List   []parley.InboxMessage // the oldest first
	Known  bool
	Asking bool
	Again  bool
	Stale  bool // something happened to the operator's messages: the count alone does not tell
	Asked  int  // the unread count that list answers
	Unseen int  // unread messages for which the list had no room
}

// Read reports whether the list is known. It need not be read while nothing is unread.
func (b *Inbox) Read(t *Roster) bool { return b.Known || t.Unread == 0 }

// Concerns reports whether an event may change the operator's inbox.
func (b *Inbox) Concerns(e parley.Event) bool {
	switch {
	case e.Type.Announces():
		return e.Recipient == parley.OperatorName || e.Recipient == "" // for several
	case e.Type == parley.EventDelivery:
		return e.Recipient == parley.OperatorName || e.Agent == parley.OperatorName
	}
	return false
}

// UnreadIn returns the unread posts of a thread.
func (b *Inbox) UnreadIn(thread string) (ids parley.Names) {
	for _, m := range b.List {
		if m.ThreadID == thread {
			ids = append(ids, m.MessageID)
		}
	}
	return ids
}

// Drop takes out messages that were just marked read, before the daemon says so.
func (b *Inbox) Drop(ids ...string) {
	left := slices.Clone(b.List)
	b.List = slices.DeleteFunc(left, func(m parley.InboxMessage) bool { return slices.Contains(ids, m.MessageID) })
}
