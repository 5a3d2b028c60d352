package tui

import tea "charm.land/bubbletea/v2"

const helpPage = 10 // lines of a page

func (d *shared) openHelp() tea.Cmd  { d.help = help{open: true, from: screenScope(d.at)}; return nil }
func (d *shared) closeHelp() tea.Cmd { d.help.open = false; return nil }

func (d *shared) helpKeys() []binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { d.help.top += n; return nil }
	}

	return []binding{
		bind("↓ j", "down", by(1)).hinted("scroll"),
		bind("↑ k", "up", by(-1)),
		bind("pgdn space", "a page down", by(helpPage), "ctrl+d"),
		bind("pgup", "a page up", by(-helpPage), "ctrl+u"),
		bind("esc ?", "close", d.closeHelp, "q", "enter", "ctrl+c").hinted("close"),
	}
}
