package room

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
)

// openHistory is how many lines above an agent's screen are opened with it.
const openHistory = 2000

// OpenText opens the message under the marker, or the agent's terminal, in the person's editor or
// pager.
func (a Actions) OpenText() tea.Cmd {
	switch s := a.About(); {
	case s.Message != "":
		return a.Do.Call(readMessageText(s.Message, a.Now))
	case s.Agent != nil && team.Readable(s.Agent):
		return a.Do.Call(readTerminalText(s.Agent.ID, s.Agent.Name))
	}
	a.Lacks("No message and no terminal to open here.")
	return nil
}

func readMessageText(id string, now time.Time) Request {
	th := kit.ThemeOf(kit.ThemeContrast, true) // in which nothing is dim
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TextMsg{Name: "Message " + parley.Short(id)}
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.Err = err
			return msg
		}

		d := Detail{ID: id, Result: res}
		for _, line := range d.head(th, 1<<12, now) {
			msg.Text += strings.TrimSpace(line) + "\n"
		}
		msg.Text += "\n" + kit.SafeText(res.Object.Text) + "\n"

		return msg
	}
}

func readTerminalText(id, name string) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TextMsg{Name: "The terminal of " + name}
		res, err := op.ReadTerminal.Call(ctx, s, parley.ReadTerminalRequest{Agent: id, History: openHistory})
		if err != nil {
			msg.Err = err
			return msg
		}
		msg.Text = kit.SafeText(strings.Join(res.Lines, "\n")) + "\n"
		return msg
	}
}
