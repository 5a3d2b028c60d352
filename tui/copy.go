package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
)

// copyText takes the text of the message under the marker to the clipboard. The terminal
// does that (OSC 52), also over ssh.
func (m *model) copyText() tea.Cmd {
	s := m.about()
	if s.message == "" {
		m.tell("No message to copy here.")
		return nil
	}

	text, what := s.text, "The beginning of message "+parley.Short(s.message)
	if full := m.wholeText(s.message); full != "" {
		text, what = full, "Message "+parley.Short(s.message)
	}

	return m.copy(text, what)
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

// bufferedMsg is what came of filling tmux's buffer.
type bufferedMsg struct{ err error }

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
