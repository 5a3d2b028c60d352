package room

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
)

const helpPage = 10 // lines of a page

// OpenHelp opens the page of all keys.
func (d *Shared) OpenHelp() tea.Cmd {
	d.Help = kit.Help{Open: true, From: ScreenScope(d.At)}
	return nil
}
func (d *Shared) closeHelp() tea.Cmd { d.Help.Open = false; return nil }

// HelpKeys returns the keys of a page.
func (d *Shared) HelpKeys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { d.Help.Top += n; return nil }
	}

	return []kit.Binding{
		kit.Bind("↓ j", "down", by(1)).Hinted("scroll"),
		kit.Bind("↑ k", "up", by(-1)),
		kit.Bind("pgdn space", "a page down", by(helpPage), "ctrl+d"),
		kit.Bind("pgup", "a page up", by(-helpPage), "ctrl+u"),
		kit.Bind("esc ?", "close", d.closeHelp, "q", "enter", "ctrl+c").Hinted("close"),
	}
}
