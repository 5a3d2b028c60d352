package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
)

// takeText gives the screen to the program that shows a text.
func (m *model) takeText(msg textMsg) tea.Cmd {
	if msg.err != nil {
		m.failed(msg.err)
		return nil
	}
	return m.do.open(msg)
}

func (m *model) opened(msg openedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w", msg.err).
			Suggest("Set EDITOR or PAGER to a program such as nano or less."))
		return nil
	}
	m.tell(msg.name + " was open. What you change there changes nothing here.")
	return nil
}
