package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// copyText takes the text of the message under the marker, or what the agent's terminal shows, to the
// clipboard. The terminal around the screen does that (OSC 52), also over ssh.
func (m *model) copyText() tea.Cmd {
	s := m.about()
	if m.traffic.picks() {
		return selecting{traffic: m.traffic}.copyAll()
	}
	switch {
	case s.message != "":
	case s.agent != nil && readable(s.agent):
		return m.do.call(readTerminalCopy(s.agent.ID, s.agent.Name))
	default:
		m.tell("No message and no terminal to copy here.")
		return nil
	}

	if full := m.wholeText(s.message); full != "" {
		return m.copy(full, "Message "+parley.Short(s.message))
	}

	return m.do.call(readMessageCopy(s.message, s.text))
}

// readMessageCopy reads the whole text of a message. If that cannot be had, the beginning is better than nothing.
func readMessageCopy(id, beginning string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil || res.Object == nil {
			return copiedMsg{text: beginning, what: "The beginning of message " + parley.Short(id)}
		}
		return copiedMsg{text: safeText(res.Object.Text), what: "Message " + parley.Short(id)}
	}
}

// readTerminalCopy reads what an agent's terminal shows, without the blank lines at its end.
func readTerminalCopy(id, name string) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id})
		if err != nil {
			return copiedMsg{err: err}
		}
		text := strings.TrimRight(safeText(strings.Join(res.Lines, "\n")), "\n ")
		return copiedMsg{text: text, what: "The terminal of " + name}
	}
}

// wholeText returns the whole text of a message that is shown, "" if it was not read.
func (m *model) wholeText(id string) string {
	for _, d := range []*detail{&m.traffic.detail, &m.needs.detail.message} {
		if d.id == id && d.result != nil && d.result.Object != nil {
			return safeText(d.result.Object.Text)
		}
	}
	return ""
}

// copyName copies what names the thing under the marker in a command: a message's id, a
// thread's, or an agent's name.
func (m *model) copyName() tea.Cmd {
	switch s := m.about(); {
	case m.traffic.picks():
		rows := m.traffic.chosen()
		return m.copy(strings.Join(idsOf(rows), "\n"), "A list of "+plural(len(rows), "id"))
	case s.message != "":
		return m.copy(s.message, "The message's id")
	case s.thread != nil:
		return m.copy(s.thread.ID, "The thread's id")
	case s.agent != nil:
		return m.copy(s.agent.Name, "The agent's name")
	}
	m.tell("Nothing to copy here.")
	return nil
}

// copied takes texts that were read to the clipboard.
func (m *model) copied(msg copiedMsg) tea.Cmd {
	if msg.err != nil {
		m.failed(msg.err)
		return nil
	}
	return m.copy(msg.text, msg.what)
}

func (m *model) copy(text, what string) tea.Cmd {
	if m.do.buffer != nil {
		m.tell(what + " is in tmux's buffer, and on the clipboard if the terminal allows it.")
		return tea.Batch(tea.SetClipboard(text), m.do.buffer(text))
	}
	m.tell(what + " is on the clipboard, if the terminal allows it.")
	return tea.SetClipboard(text)
}

// buffered tells if tmux did not take a copy.
func (m *model) buffered(msg bufferedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(parley.Errorf(parley.TmuxUnavailable, "tmux did not take the copy: %w", msg.err).
			Suggest("The terminal may have it all the same."))
	}
	return nil
}
