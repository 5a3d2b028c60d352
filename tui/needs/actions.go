package needs

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// dropDraftMsg says that a draft may go.
type dropDraftMsg struct{ to room.Address }

// remedy returns what can be done about needs.
func (n *Screen) remedy() remedy { return remedy{n.room, n.acts, &n.Detail.Message} }

// assist does what helps most with the need under the marker: the first option of its
// row.
func (n *Screen) assist() tea.Cmd {
	if n.list.tooQuick(n.room) {
		return nil
	}
	x := n.list.selected()
	if x == nil {
		n.room.Lacks(nothingNeeded)
		return nil
	}

	if x.answerable() {
		return n.Answer.open(x)
	}

	switch {
	case x.Kind == needUnsent:
		return n.shell.Resume(x.draft)
	case x.letter() && x.thread != "":
		return n.shell.OpenThread(x.thread)
	case x.letter():
		return n.shell.Do(verb.Reply)
	}
	if a := x.act(parley.ActOpen); a != nil && a.Operation != "" {
		return n.remedy().do(a)
	}

	return n.acts.Attach()
}

// drop dismisses the need under the marker, in the way of its kind.
func (n *Screen) drop() tea.Cmd {
	if n.list.tooQuick(n.room) {
		return nil
	}
	x := n.list.selected()
	if x == nil {
		n.room.Lacks(nothingNeeded)
		return nil
	}

	switch {
	case x.letter():
		return n.remedy().readLetter(x)
	case x.Kind == needUnsent:
		to := x.draft.To
		discard := func() tea.Msg { return dropDraftMsg{to} }
		return n.room.Keys.Ask("Discard this draft? It cannot be recovered.", func() tea.Cmd { return discard })
	}
	switch a := x.act(parley.ActDismiss); {
	case a != nil && a.Ask == "":
		return tea.Batch(n.remedy().forgetReminders(x), n.remedy().do(a))
	case a != nil:
		return n.remedy().do(a)
	}

	n.room.Tell("It disappears once the cause is gone.")

	return nil
}

// again tries again what the need under the marker is about.
func (n *Screen) again() tea.Cmd {
	if n.list.tooQuick(n.room) {
		return nil
	}
	x := n.list.selected()
	if x == nil {
		n.room.Lacks(nothingNeeded)
		return nil
	}
	if a := x.again(); a != nil {
		return n.remedy().do(a)
	}
	n.room.Lacks("Nothing to retry here.")

	return nil
}

// remedy is what can be done about a need, whichever list it stands in.
type remedy struct {
	room  *room.Shared
	acts  *room.Actions
	about *room.Detail // the message that the need is about, as far as it was read
}

// do does what the daemon offers.
func (m remedy) do(a *parley.Act) tea.Cmd {
	if a.Ask != "" {
		return m.acts.AskTo(kit.SafeLine(a.Ask), room.Offered(*a))
	}
	return m.acts.Run(room.Offered(*a))
}

// readLetter marks the message under the marker read, with what reminds of it.
func (m remedy) readLetter(x *need) tea.Cmd {
	return tea.Batch(m.forgetReminders(x), m.acts.MarkRead())
}

// forgetReminders marks read what only reminds of a need.
func (m remedy) forgetReminders(x *need) tea.Cmd {
	ids := x.reminders()
	if len(ids) == 0 {
		return nil
	}
	m.room.Inbox.Drop(ids...)
	return m.room.Do.Call(room.MarkMessagesRead(ids...))
}
