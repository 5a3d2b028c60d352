package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// takeText gives the screen to the program that shows a text.
func (m *model) takeText(msg room.TextMsg) tea.Cmd {
	if msg.Err != nil {
		m.Failed(msg.Err)
		return nil
	}
	return m.Do.Open(msg)
}

func (m *model) opened(msg room.OpenedMsg) tea.Cmd {
	if msg.Err != nil {
		m.Fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w", msg.Err).
			Suggest("Set EDITOR or PAGER to a program such as nano or less."))
		return nil
	}
	m.Tell(msg.Name + " was open. What you change there changes nothing here.")
	return nil
}
