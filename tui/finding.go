package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
	"parley/tui/threads"
	"parley/tui/traffic"
	"parley/tui/verb"
)

// finding narrows lists, and goes to what has a name.
type finding struct {
	room    *room.Shared
	traffic *traffic.Screen
	agents  *agents.Screen
	threads *threads.Screen
	needs   *needs.Screen
	tiles   *agents.Tiles
	palette *palette
	past    *past
	planned *planned
}

// listFilter returns the filter of the list that is shown; nil if it has none.
func (n finding) listFilter() *kit.Filter {
	if s, ok := n.room.Shown().(interface{ ListFilter() *kit.Filter }); ok && !n.tiles.Opened() {
		return s.ListFilter()
	}
	return nil
}

// filterList begins a filter of what is shown: the list, or the messages.
func (n finding) filterList() tea.Cmd {
	switch f := n.listFilter(); {
	case f != nil:
		f.Start()
	case n.room.At == room.AtTraffic:
		return n.traffic.Filter.Start()
	default:
		n.room.Tell("No list to filter here. " + n.room.Key("f") + " finds messages, " + n.room.Key("'") +
			" goes to anything by its name.")
	}
	return nil
}

// findMessages begins a filter of all messages, from whichever screen.
func (n finding) findMessages() tea.Cmd {
	return tea.Batch(n.room.GoTo(room.AtTraffic), n.traffic.Filter.Start())
}

// filtered tells the shown screen that its filter has changed.
func (n finding) filtered() tea.Cmd { return n.room.Shown().Update(room.FilteredMsg{}) }

// listed returns what a key does with the filter of the shown list.
func (n finding) listed(does func(*kit.Filter)) func() tea.Cmd {
	return func() tea.Cmd {
		does(n.listFilter())
		return n.filtered()
	}
}

// dropsFilter reports whether esc shows the whole list again, and does so.
func (n finding) dropsFilter(s kit.Scope, key string) bool {
	f := n.listFilter()
	if s != kit.InShell || key != "esc" || f == nil || !f.Active() {
		return false
	}
	f.Drop()
	return true
}

func (n finding) listFilterKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("keep the filter", n.listed((*kit.Filter).Keep)).Hinted("keep"),
		verb.Close.To("show the whole list", n.listed((*kit.Filter).Drop), verb.ShowAll).Hinted("show all"),
		verb.LineDown.To("down", n.room.Moving(kit.LineDown)).Hinted("down"),
		verb.LineUp.To("up", n.room.Moving(kit.LineUp)).Hinted("up"),
		verb.PageAfter.To("a page down", n.room.Moving(kit.PageDown)),
		verb.PageBefore.To("a page up", n.room.Moving(kit.PageUp)),
	}
}

// everything returns all that one can go to by its name.
func (n finding) everything() []room.Named {
	return slices.Concat(
		agents.Named(n.agents), needs.Named(n.needs), threads.Named(n.threads), traffic.Named(n.traffic))
}

func (n finding) allRead() bool {
	needs := n.needs.Read || n.room.Link.Status != nil && n.room.Link.Status.Needs == 0
	return n.room.Link.Team && n.room.Link.Events && n.threads.Read && needs && n.room.Inbox.Read(&n.room.Team)
}

// startNames opens the list of all that one can go to by its name.
func (n finding) startNames() tea.Cmd {
	return tea.Batch(n.palette.startWith(n.names()), threads.AskOnce(n.threads))
}
