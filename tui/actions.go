package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// deed is one change of the world: what it says when it is done, and how it is
// undone, if it can be.
type deed struct {
	call func(context.Context, parley.Service) (string, error)
	undo *undo
	page string // the title of the page on which it says so; "" for a word
}

// undo takes a deed back.
type undo struct {
	does string // in words: "lets messages go on"
	deed deed
}

// confirm asks before what cannot be taken back.
type confirm struct {
	question string
	yes      tea.Cmd
}

func (c *confirm) lines(th theme, w int) []string {
	lines := wrap(c.question+" y/n", w)
	for i := range lines {
		lines[i] = th.warn.Render(lines[i])
	}
	return lines[:min(len(lines), 2)]
}

func (m *model) ask(question string, yes tea.Cmd) tea.Cmd {
	m.confirm = &confirm{question: question, yes: yes}
	return nil
}

func (m *model) agree() tea.Cmd {
	cmd := m.confirm.yes
	m.confirm = nil
	return cmd
}

func (m *model) decline() tea.Cmd {
	m.confirm = nil
	m.tell("Left as it is.")
	return nil
}

// did says what a deed has done.
func (m *model) did(msg doneMsg) tea.Cmd {
	if msg.err != nil {
		m.daemonGone(msg.err)
		m.fail(msg.err)
		if msg.undo != nil { // part of it was done
			m.undo, m.status.text = msg.undo, msg.text+"; u "+msg.undo.does
		}
		return m.lookSoon()
	}

	if msg.page != "" {
		m.help = help{open: true, title: msg.page, text: msg.text}
		return nil
	}

	if m.undo = msg.undo; m.undo != nil {
		msg.text = strings.TrimSuffix(msg.text, ".") + ". u " + m.undo.does + "."
	}

	m.tell(msg.text)

	return m.lookSoon()
}

func (m *model) takeBack() tea.Cmd {
	if m.undo == nil {
		m.tell("There is nothing to undo.")
		return nil
	}
	d := m.undo.deed
	m.undo = nil
	return m.do.deed(d)
}

// pausing pauses the team's messages, or lets them go on.
func pausing(on bool) deed {
	return deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.PauseCommunication(ctx, parley.PauseCommunicationRequest{Paused: on})
		if err != nil {
			return "", err
		}
		return res.Message, nil
	}}
}

func (m *model) pauseAll() tea.Cmd {
	on := m.link.status == nil || m.link.status.Paused == nil
	d := pausing(on)
	d.undo = &undo{does: map[bool]string{true: "lets them go on", false: "pauses them again"}[on], deed: pausing(!on)}
	return m.do.deed(d)
}

// stop and restart end a program with all that it knows: nothing brings that back.
func (m *model) stop() tea.Cmd {
	a := m.screen().about().agent
	if a == nil {
		m.tell("Which agent? Choose one first (2).")
		return nil
	}

	id, name := a.ID, a.Name
	question := fmt.Sprintf("Stop %s? Its program and what that knows end; its messages are kept.", name)
	if a.Adopted() {
		question = fmt.Sprintf("Let %s go? Its program runs on, but is no agent of the team any more.", name)
	}

	return m.ask(question, m.do.deed(deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := s.StopAgent(ctx, parley.StopAgentRequest{Agent: id})
		return name + " is stopped.", err
	}}))
}

func (m *model) restart() tea.Cmd {
	a := m.screen().about().agent
	if a == nil {
		m.tell("Which agent? Choose one first (2).")
		return nil
	}

	id, name := a.ID, a.Name
	yes := m.do.deed(deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := s.RestartAgent(ctx, parley.RestartAgentRequest{Agent: id})
		return name + " is started again.", err
	}})

	if !a.State.Live() {
		return yes
	}

	return m.ask(fmt.Sprintf("Restart %s? What its program knows is lost; its messages are kept.", name), yes)
}

func (m *model) retry() tea.Cmd {
	s := m.screen().about()
	if s.message == "" {
		m.tell("There is no message to try again.")
		return nil
	}
	return m.do.deed(deed{call: func(ctx context.Context, svc parley.Service) (string, error) {
		res, err := svc.RetryDelivery(ctx, parley.RetryDeliveryRequest{MessageID: s.message})
		if err != nil {
			return "", err
		}
		return res.Message, nil
	}})
}

func (m *model) markRead() tea.Cmd {
	s := m.screen().about()
	if s.message == "" {
		m.tell("There is no message to mark yet.")
		return nil
	}

	return m.do.deed(deed{call: func(ctx context.Context, svc parley.Service) (string, error) {
		res, err := svc.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: parley.Names{s.message}})
		switch {
		case err != nil:
			return "", err
		case len(res.MarkedRead) > 0:
			return "Marked read.", nil
		case len(res.AlreadyRead) > 0:
			return "You have read it already.", nil
		}

		return "It did not come for you: only its recipient reads it.", nil
	}})
}

// explain tells a message's whole story on a page.
func (m *model) explain() tea.Cmd {
	s := m.screen().about()
	if s.message == "" {
		m.tell("There is no message to explain here.")
		return nil
	}

	return m.do.deed(
		deed{
			page: "Message " + parley.Short(s.message),
			call: func(ctx context.Context, svc parley.Service) (string, error) {
				res, err := svc.ExplainMessage(ctx, parley.ExplainMessageRequest{MessageID: s.message})
				if err != nil {
					return "", err
				}
				return strings.Join(res.Story, "\n"), nil
			},
		},
	)
}
