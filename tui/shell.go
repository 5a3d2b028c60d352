package tui

import tea "charm.land/bubbletea/v2"

// shell is what the screens may ask of the whole.
type shell struct{ m *model }

// Do does what a screen has a key for and the shell can do.
func (s shell) Do(v verb) tea.Cmd {
	switch v {
	case doWrite:
		return s.m.compose.writeTo()
	case doReply:
		return s.m.compose.reply()
	case doBroadcast:
		return s.m.compose.broadcast()
	case doSteer:
		return s.m.compose.steer()
	case doRunCommand:
		return s.m.palette.start()
	}
	return nil
}

// PaletteOpen reports whether the palette lies over the screen.
func (s shell) PaletteOpen() bool { return s.m.palette.open }

// Resume opens the box with an unsent draft.
func (s shell) Resume(d draft) tea.Cmd { return s.m.compose.write(d.to, d.label, "") }

// OpenThread shows a thread.
func (s shell) OpenThread(id string) tea.Cmd { return s.m.threads.openThread(id) }
