package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
	"parley/tui/threads"
	"parley/tui/traffic"
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

// mostNames are listed at once: nobody reads on.
const mostNames = 200

// everything returns all that one can go to by its name.
func (m finding) everything() []room.Named {
	return slices.Concat(
		agents.Named(m.agents), needs.Named(m.needs), threads.Named(m.threads), traffic.Named(m.traffic))
}

// allRead reports whether all that has a name was read.
func (m finding) allRead() bool {
	needs := m.needs.Read || m.Link.Status != nil && m.Link.Status.Needs == 0
	return m.Link.Team && m.Link.Events && m.threads.Read && needs && m.Inbox.Read(&m.Team)
}

// startNames opens the list of all that one can go to by its name.
func (m finding) startNames() tea.Cmd {
	return tea.Batch(m.palette.startWith(true), threads.AskOnce(m.threads))
}

// renewNames lists the names again when there are others: the person may have been faster than the answers.
func (m finding) renewNames() {
	p, known := m.palette, len(m.Team.List)+needs.Count(m.needs)+m.threads.Count()
	if p.open && p.goes && p.known != known {
		at := p.sel
		p.seek()
		p.sel, p.known = at, known
	}
}

func (n *namedChoice) choice() choice {
	return choice{name: n.Name, about: n.About, key: n.Kind, run: n.Go}
}

// namedChoice is something to go to, and how well it matches.
type namedChoice struct {
	room.Named
	score int
}

// named returns what has the words of the line, the best match first. Names count for more than what is told of them. A
// message is named by how its id begins: 47 is rather the agent with that number than some letters of an id.
func (p *palette) named() []choice {
	query := strings.TrimSpace(string(p.line))
	var found []namedChoice
	for _, n := range p.names() {
		score := kit.Fuzzy(query, n.Name)
		if n.Kind == "message" && !strings.HasPrefix(n.Name, strings.ToLower(query)) {
			score = 0
		}
		switch {
		case query == "" && n.Kind == "message":
			continue
		case score > 0:
			score += 1000
		case strings.Contains(strings.ToLower(n.About), strings.ToLower(query)):
			score = 1
		}
		if score > 0 {
			found = append(found, namedChoice{n, score})
		}
	}

	slices.SortStableFunc(found, func(a, b namedChoice) int { return cmp.Compare(b.score, a.score) })

	var all []choice
	for i := range found[:min(len(found), mostNames)] {
		all = append(all, found[i].choice())
	}

	return all
}

// agentsLike returns the agents whose names match, for the list of commands.
func (p *palette) agentsLike(query string) (all []choice) {
	for _, n := range p.names() {
		if n.Kind == "agent" && kit.Fuzzy(query, n.Name) > 0 {
			all = append(all, choice{name: n.Name, about: "agent: " + n.About, key: "agent", run: n.Go})
		}
	}
	return all
}
