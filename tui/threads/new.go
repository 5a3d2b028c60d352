package threads

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
)

// threadOpenedMsg is a new thread.
type threadOpenedMsg struct {
	thread parley.Thread
	text   string
	err    error
}

// create asks for a title and the participants of a new thread.
func (t marked) create() tea.Cmd {
	return t.AskLine("Title of the new thread", func(title string) tea.Cmd {
		return t.AskLine("Participants, by name, or all", func(text string) tea.Cmd {
			r := parley.CreateThreadRequest{Title: title, Participants: t.Team.Participants(text)}
			return t.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
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
		t.Failed(msg.err)
		return nil
	}
	if t.Sel = msg.thread.ID; t.selected() == nil {
		t.all = append([]parley.Thread{msg.thread}, t.all...)
		t.sift(&t.Filter, &t.LastWords)
	}
	t.Tell(msg.text + ". c writes in it.")
	return t.Link.LookSoon()
}
