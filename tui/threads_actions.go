package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// threadOpenedMsg is a new thread.
type threadOpenedMsg struct {
	thread parley.Thread
	text   string
	err    error
}

// newThread asks for a title and who takes part.
func (m *model) newThread() tea.Cmd {
	return m.askLine("Title of the new thread", "", func(title string) tea.Cmd {
		return m.askLine("Who takes part, by name, or all", "", func(text string) tea.Cmd {
			with := m.team.listed(text)
			return m.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
				res, err := s.CreateThread(ctx, parley.CreateThreadRequest{Title: title, Participants: with})
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
		t.daemonGone(msg.err)
		t.fail(msg.err)
		return nil
	}
	if t.sel = msg.thread.ID; t.selected() == nil {
		t.list = append([]parley.Thread{msg.thread}, t.list...)
	}
	t.tell(msg.text + ". c writes in it.")
	return t.lookSoon()
}

// listed are the names in a text; all is every agent that is not stopped.
func (t *team) listed(text string) parley.Names {
	names := parley.Names(strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }))
	if len(names) != 1 || !strings.EqualFold(names[0], "all") {
		return names
	}
	names = nil
	for _, a := range t.list {
		if a.State != parley.StateTerminated {
			names = append(names, a.ID)
		}
	}
	return names
}

// withThread does something with the thread under the marker, if there is one.
func (m *model) withThread(f func(*parley.Thread) tea.Cmd) tea.Cmd {
	x := m.threads.selected()
	if x == nil {
		m.tell("There is no thread yet. o opens one.")
		return nil
	}
	return f(x)
}

func (m *model) markThread() tea.Cmd {
	return m.withThread(func(*parley.Thread) tea.Cmd { return m.threads.markAll() })
}

func (m *model) addToThread() tea.Cmd {
	return m.withThread(func(x *parley.Thread) tea.Cmd {
		id := x.ID
		return m.askLine("Who is added to “"+fit(safeLine(x.Title), 30)+"”, by name", "", func(text string) tea.Cmd {
			return m.do.call(membership{thread: id, who: m.team.parties(text), add: true}.make)
		})
	})
}

func (m *model) removeFromThread() tea.Cmd {
	return m.withThread(func(x *parley.Thread) tea.Cmd {
		id := x.ID
		return m.askLine(
			"Who is removed from “"+fit(safeLine(x.Title), 30)+"”, by name",
			"",
			func(text string) tea.Cmd {
				return m.do.call(membership{thread: id, who: m.team.parties(text)}.make)
			},
		)
	})
}

// joinThread lets the operator take part, or leave; each is undone by the other.
func (m *model) joinThread() tea.Cmd {
	return m.withThread(func(x *parley.Thread) tea.Cmd {
		id, title := x.ID, fit(safeLine(x.Title), 40)
		join := deed{call: func(ctx context.Context, s parley.Service) (string, error) {
			_, err := s.JoinThread(ctx, parley.JoinThreadRequest{ThreadID: id})
			return fmt.Sprintf("You take part in “%s”: what is said there comes to you.", title), err
		}}

		leave := deed{call: func(ctx context.Context, s parley.Service) (string, error) {
			_, err := s.RemoveParticipant(
				ctx,
				parley.RemoveParticipantRequest{ThreadID: id, Agent: parley.OperatorName},
			)
			return fmt.Sprintf("You have left “%s”.", title), err
		}}

		d, back := join, &undo{does: "leaves it", deed: leave}
		if takesPart(x) {
			d, back = leave, &undo{does: "joins it again", deed: join}
		}

		d.undo = back

		return m.do.deed(d)
	})
}
