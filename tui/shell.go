package tui

import tea "charm.land/bubbletea/v2"

// Do does what a screen has a key for and the shell can do.
func (m *model) Do(v verb) tea.Cmd {
	switch v {
	case doWrite:
		return m.compose.writeTo()
	case doReply:
		return m.compose.reply()
	case doBroadcast:
		return m.compose.broadcast()
	case doSteer:
		return m.compose.steer()
	case doRunCommand:
		return m.palette.start()
	}
	return nil
}

// PaletteOpen reports whether the palette lies over the screen.
func (m *model) PaletteOpen() bool { return m.palette.open }

// Resume opens the box with an unsent draft.
func (m *model) Resume(d draft) tea.Cmd { return m.compose.write(d.to, d.label, "") }

// OpenThread shows a thread.
func (m *model) OpenThread(id string) tea.Cmd { return m.threads.openThread(id) }
