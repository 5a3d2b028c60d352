package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/traffic"
)

// copyText takes the text of the message under the marker, or what the agent's terminal shows, to the
// clipboard. The terminal around the screen does that (OSC 52), also over ssh.
func (m *model) copyText() tea.Cmd {
	s := m.About()
	if m.traffic.Picks() {
		return traffic.Selecting{Screen: m.traffic}.CopyAll()
	}
	switch {
	case s.Message != "":
	case s.Agent != nil && team.Readable(s.Agent):
		return m.Do.Call(readTerminalCopy(s.Agent.ID, s.Agent.Name))
	default:
		m.Lacks("No message and no terminal to copy here.")
		return nil
	}

	if full := m.wholeText(s.Message); full != "" {
		return m.copy(full, "Message "+parley.Short(s.Message))
	}

	return m.Do.Call(readMessageCopy(s.Message, s.Text))
}

// readMessageCopy reads the whole text of a message. If that cannot be had, the beginning is better than nothing.
func readMessageCopy(id, beginning string) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil || res.Object == nil {
			return room.CopiedMsg{Text: beginning, What: "The beginning of message " + parley.Short(id)}
		}
		return room.CopiedMsg{Text: kit.SafeText(res.Object.Text), What: "Message " + parley.Short(id)}
	}
}

// readTerminalCopy reads what an agent's terminal shows, without the blank lines at its end.
func readTerminalCopy(id, name string) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := s.ReadTerminal(ctx, parley.ReadTerminalRequest{Agent: id})
		if err != nil {
			return room.CopiedMsg{Err: err}
		}
		text := strings.TrimRight(kit.SafeText(strings.Join(res.Lines, "\n")), "\n ")
		return room.CopiedMsg{Text: text, What: "The terminal of " + name}
	}
}

// wholeText returns the whole text of a message that is shown, "" if it was not read.
func (m *model) wholeText(id string) string {
	for _, d := range []*room.Detail{&m.traffic.Detail.Detail, &m.needs.Detail.Message} {
		if d.ID == id && d.Result != nil && d.Result.Object != nil {
			return kit.SafeText(d.Result.Object.Text)
		}
	}
	return ""
}

// copyName copies what names the thing under the marker in a command: a message's id, a
// thread's, or an agent's name.
func (m *model) copyName() tea.Cmd {
	switch s := m.About(); {
	case m.traffic.Picks():
		rows := m.traffic.Chosen()
		return m.copy(strings.Join(room.IDsOf(rows), "\n"), "A list of "+kit.Plural(len(rows), "id"))
	case s.Message != "":
		return m.copy(s.Message, "The message's id")
	case s.Thread != nil:
		return m.copy(s.Thread.ID, "The thread's id")
	case s.Agent != nil:
		return m.copy(s.Agent.Name, "The agent's name")
	}
	m.Lacks("Nothing to copy here.")
	return nil
}

// copied takes texts that were read to the clipboard.
func (m *model) copied(msg room.CopiedMsg) tea.Cmd {
	if msg.Err != nil {
		m.Failed(msg.Err)
		return nil
	}
	return m.copy(msg.Text, msg.What)
}

func (m *model) copy(text, what string) tea.Cmd {
	if m.Do.Buffer != nil {
		m.Tell(what + " is in tmux's buffer, and on the clipboard if the terminal allows it.")
		return tea.Batch(tea.SetClipboard(text), m.Do.Buffer(text))
	}
	m.Tell(what + " is on the clipboard, if the terminal allows it.")
	return tea.SetClipboard(text)
}

// buffered tells if tmux did not take a copy.
func (m *model) buffered(msg room.BufferedMsg) tea.Cmd {
	if msg.Err != nil {
		m.Fail(parley.Errorf(parley.TmuxUnavailable, "tmux did not take the copy: %w", msg.Err).
			Suggest("The terminal may have it all the same."))
	}
	return nil
}
