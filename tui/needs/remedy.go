package needs

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// remedy is what can be done about a need, whichever list it stands in.
type remedy struct {
	room.Actions
	about *room.Detail // the message that the need is about, as far as it was read
}

// do does what the daemon offers. What is offered to all that owe an answer to one message is done to all of them.
func (m remedy) do(x *need, a *parley.Act) tea.Cmd {
	all := *a
	for i := range x.also {
		y := &x.also[i]
		same := y.act(a.Key)
		if a.Key == parley.ActOpen && x.IsDebt() && y.IsDebt() && y.MessageID == x.MessageID && same != nil {
			all.Arguments = append(slices.Clone(all.Arguments), same.Arguments...)
			all.Done = fmt.Sprintf("Reminded %d agents.", len(all.Arguments))
		}
	}
	if a.Ask != "" {
		return m.AskTo(kit.SafeLine(a.Ask), room.Offered(all))
	}
	return m.Run(room.Offered(all))
}

// readLetter marks the message under the marker read, with what reminds of it.
func (m remedy) readLetter(x *need) tea.Cmd { return tea.Batch(m.forgetReminders(x), m.MarkRead()) }

// forgetReminders marks read what only reminds of a need.
func (m remedy) forgetReminders(x *need) tea.Cmd {
	ids := x.reminders()
	if len(ids) == 0 {
		return nil
	}
	m.Inbox.Drop(ids...)
	return m.Do.Call(room.MarkMessagesRead(ids...))
}
