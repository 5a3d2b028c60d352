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
	room *room.Shared
	acts *room.Actions
	list *threadList
}

// with does something with the thread under the marker, if there is one.
func (t marked) with(f func(*parley.Thread) tea.Cmd) tea.Cmd {
	x := t.list.selected()
	if x == nil {
		t.room.Lacks("No threads yet. " + t.room.Key("O") + " opens one.")
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
			return t.room.Keys.AskLine(label, func(text string) tea.Cmd {
				return t.acts.Change(membership{thread: id, who: partiesOf(&t.room.Team, text), add: add}.make)
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
			return t.acts.Run(leave.UndoneBy("joins it again", join))
		}

		return t.acts.Run(join.UndoneBy("leaves it", leave))
	})
}

func (t marked) controlling(a parley.ConversationAction) func() tea.Cmd {
	return func() tea.Cmd {
		return t.with(func(x *parley.Thread) tea.Cmd {
			return t.acts.Control(parley.ControlConversationRequest{Action: a, ThreadID: x.ID}, nil)
		})
	}
}

func (t marked) muteOrUnmute() tea.Cmd {
	return t.with(func(x *parley.Thread) tea.Cmd {
		mute := parley.ControlConversationRequest{Action: parley.ActionMute, ThreadID: x.ID}
		unmute := parley.ControlConversationRequest{Action: parley.ActionUnmute, ThreadID: x.ID}
		if s := t.room.Temperatures.Known[x.ID].State; s != nil && s.Conversation.Muted {
			return t.acts.Control(unmute, &mute)
		}
		return t.acts.Control(mute, &unmute)
	})
}

// reasoning asks for the page that says how a thread stands, and why.
func (t marked) reasoning() tea.Cmd {
	x := t.list.selected()
	if x == nil {
		t.room.Lacks("No thread to explain here.")
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

	return t.acts.Run(room.Action{Page: kit.SafeLine(x.Title), Do: read})
}

// AskOnce reads the list of threads if it is not known yet.
func AskOnce(t *Screen) tea.Cmd {
	if t.Read || t.asking {
		return nil
	}
	t.asking = true
	return t.room.Do.Call(readThreads)
}

// Named returns the threads that are known, to go to.
func Named(t *Screen) (all []room.Named) {
	for i := range t.List.all {
		x := &t.List.all[i]
		all = append(all, room.Named{Kind: "thread", Name: kit.SafeLine(x.Title), About: strings.Join(names(x), ", "),
			Go: goingTo(t, *x)})
	}
	return all
}

// goingTo returns the way to a thread, for a list of names.
func goingTo(t *Screen, x parley.Thread) func() tea.Cmd {
	return func() tea.Cmd {
		t.Filter.Drop()
		t.List.sift(&t.Filter, &t.room.LastWords)
		return t.OpenThread(x.ID)
	}
}

func (t *Screen) Point(p kit.Pointer) tea.Cmd {
	listW, listH, _, talkH := t.Parts(p.W, p.H)
	inTalk := talkH > 0 && p.Second(t.room.Tier, listW, listH)
	switch i := t.List.top + p.Y - 1; {
	case inTalk && p.Wheel != 0:
		t.talk.scroll(p.Wheel)
	case p.Wheel != 0:
		t.InTalk = false
		return kit.Times(p.Wheel, t.Move)
	case inTalk:
		_, _, w, _ := t.Parts(p.W, p.H)
		head := 1 + len(t.talk.head(t.List.selected(), w))
		if t.room.Tier < kit.Wide {
			head += listH
		}
		t.talk.click(p.Y - head)
		if !t.InTalk {
			return t.turn()
		}
	case !inTalk && p.Y > 0 && i < len(t.List.list):
		t.InTalk, t.List.Sel = false, t.List.list[i].ID
		if p.Twice {
			return t.turn()
		}
	}

	return nil
}

type threadOpenedMsg struct {
	thread parley.Thread
	text   string
	err    error
}

// create asks for a title and the participants of a new thread.
func (t marked) create() tea.Cmd {
	return t.room.Keys.AskLine("Title of the new thread", func(title string) tea.Cmd {
		return t.room.Keys.AskLine("Participants, by name, or all", func(text string) tea.Cmd {
			r := parley.CreateThreadRequest{Title: title, Participants: t.room.Team.Participants(text)}
			return t.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
				res, err := op.CreateThread.Call(ctx, s, r)
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
		t.room.Failed(msg.err)
		return nil
	}
	if t.List.Sel = msg.thread.ID; t.List.selected() == nil {
		t.List.all = append([]parley.Thread{msg.thread}, t.List.all...)
		t.List.sift(&t.Filter, &t.room.LastWords)
	}
	t.room.Tell(msg.text + ". c writes in it.")
	return t.room.Link.LookSoon()
}
