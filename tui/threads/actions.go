package threads

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// threadOpenedMsg is a new thread.
type threadOpenedMsg struct {
	thread parley.Thread
	text   string
	err    error
}

// create asks for a title and the participants of a new thread.
func (t *Screen) create() tea.Cmd {
	return t.AskLine("Title of the new thread", func(title string) tea.Cmd {
		return t.AskLine("Participants, by name, or all", func(text string) tea.Cmd {
			r := parley.CreateThreadRequest{Title: title, Participants: t.Team.Participants(text)}
			return t.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
				res, err := s.CreateThread(ctx, r)
				if err != nil {
					return threadOpenedMsg{err: err}
				}
				return threadOpenedMsg{thread: res.Thread, text: res.Message}
			})
		})
	})
}

// opened shows a new thread at once.
func (t *Screen) opened(msg threadOpenedMsg) tea.Cmd {
	if msg.err != nil {
		t.Failed(msg.err)
		return nil
	}
	if t.Sel = msg.thread.ID; t.selected() == nil {
		t.all = append([]parley.Thread{msg.thread}, t.all...)
		sift(t)
	}
	t.Tell(msg.text + ". c writes in it.")
	return t.Link.LookSoon()
}

// withThread does something with the thread under the marker, if there is one.
func (t *Screen) withThread(f func(*parley.Thread) tea.Cmd) tea.Cmd {
	x := t.selected()
	if x == nil {
		t.Lacks("No threads yet. " + t.Key("O") + " opens one.")
		return nil
	}
	return f(x)
}

// markAllRead marks the thread's posts read and says so.
func (t *Screen) markAllRead() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		n := len(t.Inbox.UnreadIn(x.ID))
		switch {
		case n == 0 && !t.Inbox.Read(&t.Team):
			t.Tell(room.StillReading("your messages"))
			return nil
		case n == 0:
			t.Tell("Nothing unread in it.")
			return nil
		}
		t.Tell(kit.Plural(n, "post") + " marked read.")
		return t.readUnread()
	})
}

// askingMembers asks who is added to the thread or removed from it.
func (t *Screen) askingMembers(question string, add bool) func() tea.Cmd {
	return func() tea.Cmd {
		return t.withThread(func(x *parley.Thread) tea.Cmd {
			id := x.ID
			label := question + " “" + kit.Fit(kit.SafeLine(x.Title), 30) + "”, by name"
			return t.AskLine(label, func(text string) tea.Cmd {
				return t.Change(membership{thread: id, who: partiesOf(&t.Team, text), add: add}.make)
			})
		})
	}
}

// joinOrLeave lets the operator take part, or leave. Each undoes the other.
func (t *Screen) joinOrLeave() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		title := kit.Fit(kit.SafeLine(x.Title), 40)
		join := room.ActSaying(fmt.Sprintf("You joined “%s”: its posts come to you.", title),
			parley.Service.JoinThread, parley.JoinThreadRequest{ThreadID: x.ID})
		leave := room.ActSaying(fmt.Sprintf("You left “%s”.", title),
			parley.Service.RemoveParticipant,
			parley.RemoveParticipantRequest{ThreadID: x.ID, Agent: parley.OperatorName})

		if takesPart(x) {
			return t.Run(leave.UndoneBy("joins it again", join))
		}

		return t.Run(join.UndoneBy("leaves it", leave))
	})
}

func (t *Screen) controlling(a parley.ConversationAction) func() tea.Cmd {
	return func() tea.Cmd {
		return t.withThread(func(x *parley.Thread) tea.Cmd {
			return t.Control(parley.ControlConversationRequest{Action: a, ThreadID: x.ID}, nil)
		})
	}
}

func (t *Screen) muteOrUnmute() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: x.ID}
		unmute := parley.ControlConversationRequest{Action: parley.ActionUnmute, ThreadID: x.ID}
		if s := t.Temperatures.Known[x.ID].State; s != nil && s.Conversation.Muted {
			return t.Control(unmute, &mute)
		}
		return t.Control(mute, &unmute)
	})
}
