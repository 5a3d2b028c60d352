package threads

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// marked is the thread under the marker, and what can be done with it.
type marked struct {
	room.Actions
	*threadList
}

// with does something with the thread under the marker, if there is one.
func (t marked) with(f func(*parley.Thread) tea.Cmd) tea.Cmd {
	x := t.selected()
	if x == nil {
		t.Lacks("No threads yet. " + t.Key("O") + " opens one.")
		return nil
	}
	return f(x)
}

// askingMembers asks who is added to the thread or removed from it.
func (t marked) askingMembers(question string, add bool) func() tea.Cmd {
	return func() tea.Cmd {
		return t.with(func(x *parley.Thread) tea.Cmd {
			id := x.ID
			label := question + " “" + kit.Fit(kit.SafeLine(x.Title), 30) + "”, by name"
			return t.AskLine(label, func(text string) tea.Cmd {
				return t.Change(membership{thread: id, who: partiesOf(&t.Team, text), add: add}.make)
			})
		})
	}
}

// joinOrLeave lets the operator take part, or leave. Each undoes the other.
func (t marked) joinOrLeave() tea.Cmd {
	return t.with(func(x *parley.Thread) tea.Cmd {
		title := kit.Fit(kit.SafeLine(x.Title), 40)
		join := room.ActSaying(fmt.Sprintf("You joined “%s”: its posts come to you.", title),
			op.JoinThread, parley.JoinThreadRequest{ThreadID: x.ID})
		leave := room.ActSaying(fmt.Sprintf("You left “%s”.", title),
			op.RemoveParticipant,
			parley.RemoveParticipantRequest{ThreadID: x.ID, Agent: parley.OperatorName})

		if takesPart(x) {
			return t.Run(leave.UndoneBy("joins it again", join))
		}

		return t.Run(join.UndoneBy("leaves it", leave))
	})
}

func (t marked) controlling(a parley.ConversationAction) func() tea.Cmd {
	return func() tea.Cmd {
		return t.with(func(x *parley.Thread) tea.Cmd {
			return t.Control(parley.ControlConversationRequest{Action: a, ThreadID: x.ID}, nil)
		})
	}
}

func (t marked) muteOrUnmute() tea.Cmd {
	return t.with(func(x *parley.Thread) tea.Cmd {
		mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: x.ID}
		unmute := parley.ControlConversationRequest{Action: parley.ActionUnmute, ThreadID: x.ID}
		if s := t.Temperatures.Known[x.ID].State; s != nil && s.Conversation.Muted {
			return t.Control(unmute, &mute)
		}
		return t.Control(mute, &unmute)
	})
}

// reasoning asks for the page that says how a thread stands, and why.
func (t marked) reasoning() tea.Cmd {
	x := t.selected()
	if x == nil {
		t.Lacks("No thread to explain here.")
		return nil
	}

	id := x.ID
	read := func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.GetConversationState.Call(ctx, s, parley.ConversationStateRequest{ThreadID: id})
		if err != nil {
			return "", err
		}
		return strings.Join(reasons(res), "\n"), nil
	}

	return t.Run(room.Action{Page: kit.SafeLine(x.Title), Do: read})
}
