package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// finding is what the shell does for filters and names: it narrows lists, and goes to what has a name.
type finding struct{ *model }

// listFilter returns the filter of the list that is shown; nil if it has none.
func (m finding) listFilter() *kit.Filter {
	if s, ok := m.Shown().(interface{ ListFilter() *kit.Filter }); ok && !m.tiles.Opened() {
		return s.ListFilter()
	}
	return nil
}

// filterList begins a filter of what is shown: the list, or the messages.
func (m finding) filterList() tea.Cmd {
	switch f := m.listFilter(); {
	case f != nil:
		f.Start()
	case m.At == room.AtTraffic:
		return m.traffic.Filter.Start()
	default:
		m.Tell("No list to filter here. " + m.Key("f") + " finds messages, " + m.Key("'") +
			" goes to anything by its name.")
	}
	return nil
}

// findMessages begins a filter of all messages, from whichever screen.
func (m finding) findMessages() tea.Cmd {
	return tea.Batch(m.GoTo(room.AtTraffic), m.traffic.Filter.Start())
}

// filtered tells the shown screen that its filter has changed.
func (m finding) filtered() tea.Cmd { return m.Shown().Update(room.FilteredMsg{}) }

// listed returns what a key does with the filter of the shown list.
func (m finding) listed(does func(*kit.Filter)) func() tea.Cmd {
	return func() tea.Cmd {
		does(m.listFilter())
		return m.filtered()
	}
}

// dropsFilter reports whether esc shows the whole list again, and does so.
func (m finding) dropsFilter(s kit.Scope, key string) bool {
	f := m.listFilter()
	if s != kit.InShell || key != "esc" || f == nil || !f.Active() {
		return false
	}
	f.Drop()
	return true
}

func (m finding) listFilterKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("keep the filter", m.listed((*kit.Filter).Keep)).Hinted("keep"),
		verb.Close.To("show the whole list", m.listed((*kit.Filter).Drop), verb.ShowAll).Hinted("show all"),
		verb.LineDown.To("down", m.Moving(kit.LineDown)).Hinted("down"),
		verb.LineUp.To("up", m.Moving(kit.LineUp)).Hinted("up"),
		verb.PageAfter.To("a page down", m.Moving(kit.PageDown)),
		verb.PageBefore.To("a page up", m.Moving(kit.PageUp)),
	}
}
