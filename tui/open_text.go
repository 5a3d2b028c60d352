package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// openHistory is how many lines above an agent's screen are opened with it.
const openHistory = 2000

// openText opens the message under the marker, or the agent's terminal, in the person's editor or
// pager.
func (a actions) openText() tea.Cmd {
	switch s := a.about(); {
	case s.message != "":
		return a.do.call(readMessageText(s.message, a.now))
	case s.agent != nil && readable(s.agent):
		return a.do.call(readTerminalText(s.agent.ID, s.agent.Name))
	}
	a.tell("No message and no terminal to open here.")
	return nil
}

func readMessageText(id string, now time.Time) request {
	th := themeOf(ThemeContrast, true) // in which nothing is dim
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := textMsg{name: "Message " + parley.Short(id)}
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.err = err
			return msg
		}

		d := detail{id: id, result: res}
		for _, line := range d.head(th, 1<<12, now) {
			msg.text += strings.TrimSpace(line) + "\n"
		}
		msg.text += "\n" + safeText(res.Object.Text) + "\n"

		return msg
	}
}

func readTerminalText(id, name string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := textMsg{name: "The terminal of " + name}
		res, err := s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id, History: openHistory})
		if err != nil {
			msg.err = err
			return msg
		}
		msg.text = safeText(strings.Join(res.Lines, "\n")) + "\n"
		return msg
	}
}
