package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// threadOpenedMsg is a new thread.
type threadOpenedMsg struct {
	thread parley.Thread
	text   string
	err    error
}

// create asks for a title and the participants of a new thread.
func (t *threads) create() tea.Cmd {
	return t.askLine("Title of the new thread", func(title string) tea.Cmd {
		return t.askLine("Participants, by name, or all", func(text string) tea.Cmd {
			r := parley.CreateThreadRequest{Title: title, Participants: t.team.participants(text)}
			return t.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
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
func (t *threads) opened(msg threadOpenedMsg) tea.Cmd {
	if msg.err != nil {
		t.failed(msg.err)
		return nil
	}
	if t.sel = msg.thread.ID; t.selected() == nil {
		t.list = append([]parley.Thread{msg.thread}, t.list...)
	}
	t.tell(msg.text + ". c writes in it.")
	return t.link.lookSoon()
}

// withThread does something with the thread under the marker, if there is one.
func (t *threads) withThread(f func(*parley.Thread) tea.Cmd) tea.Cmd {
	x := t.selected()
	if x == nil {
		t.tell("No threads yet. o opens one.")
		return nil
	}
	return f(x)
}

// markAllRead marks the thread's posts read and says so.
func (t *threads) markAllRead() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		n := len(t.inbox.unreadIn(x.ID))
		if n == 0 {
			t.tell("Nothing unread in it.")
			return nil
		}
		t.tell(plural(n, "post") + " marked read.")
		return t.readUnread()
	})
}

func (t *threads) add() tea.Cmd    { return t.askMembers("Add to", true) }
func (t *threads) remove() tea.Cmd { return t.askMembers("Remove from", false) }

// askMembers asks who is added to the thread or removed from it.
func (t *threads) askMembers(question string, add bool) tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		id := x.ID
		label := question + " “" + fit(safeLine(x.Title), 30) + "”, by name"
		return t.askLine(label, func(text string) tea.Cmd {
			return t.change(membership{thread: id, who: partiesOf(&t.team, text), add: add}.make)
		})
	})
}

// joinOrLeave lets the operator take part, or leave. Each undoes the other.
func (t *threads) joinOrLeave() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		title := fit(safeLine(x.Title), 40)
		join := actSaying(fmt.Sprintf("You joined “%s”: its posts come to you.", title),
			parley.Service.JoinThread, parley.JoinThreadRequest{ThreadID: x.ID})
		leave := actSaying(fmt.Sprintf("You left “%s”.", title),
			parley.Service.RemoveParticipant, parley.RemoveParticipantRequest{ThreadID: x.ID, Agent: parley.OperatorName})

		if takesPart(x) {
			return t.run(leave.undoneBy("joins it again", join))
		}

		return t.run(join.undoneBy("leaves it", leave))
	})
}

func (t *threads) controlling(a parley.ConversationAction) func() tea.Cmd {
	return func() tea.Cmd {
		return t.withThread(func(x *parley.Thread) tea.Cmd {
			return t.control(parley.ControlConversationRequest{Action: a, ThreadID: x.ID}, nil)
		})
	}
}

func (t *threads) muteOrUnmute() tea.Cmd {
	return t.withThread(func(x *parley.Thread) tea.Cmd {
		mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: x.ID}
		unmute := parley.ControlConversationRequest{Action: parley.ActionUnmute, ThreadID: x.ID}
		if s := t.temperatures.known[x.ID].state; s != nil && s.Conversation.Muted {
			return t.control(unmute, &mute)
		}
		return t.control(mute, &unmute)
	})
}
