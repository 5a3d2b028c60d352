package room

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/verb"
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
		verb.Down.To("down", by(1)).Hinted("scroll"),
		verb.Up.To("up", by(-1)),
		verb.PageDown.To("a page down", by(helpPage)),
		verb.PageUp.To("a page up", by(-helpPage)),
		verb.Back.To("close", d.closeHelp, verb.Help, verb.Leave, verb.Open).Hinted("close"),
	}
}
