package agents

import (
	"cmp"
	"fmt"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// Parts divides the screen between the list and the terminal, which gets half of it at least. Next to the list its
// place does not depend on what the list says; below it, it also takes the lines that the list leaves free.
func (a *Screen) Parts(w, h int) (listW, listH, viewW, viewH int) {
	switch {
	case !a.preview.open(a.room.Tier, h, h-a.List.room) || len(a.List.list) == 0:
		return w, h, 0, 0
	case a.room.Tier >= kit.Wide:
		listW = a.room.Division.ListWidth(min((w-3)/2, mostList), w)
		return listW, h, w - listW - 3, h
	}
	listH = a.room.Division.ListHeight(min(a.List.room, h/2), h)
	return w, listH, w, h - listH
}

// mostList is how many columns a list next to a terminal needs at most.
const mostList = 130

func (a *Screen) Settle(w, h int) {
	all := a.List.entries()
	a.List.makeRoom(len(all))
	_, listH, _, viewH := a.Parts(w, h)
	a.List.height, a.preview.seen = listH-agentsHead, viewH > 0
	a.List.scroll(all)
}

func (a *Screen) View(w, h int) []string {
	listW, listH, viewW, viewH := a.Parts(w, h)
	note := orderNames[a.List.order]
	if n := a.room.Picked.Count(); n > 0 {
		note = fmt.Sprintf("%d selected · ", n) + note
	}

	lines := []string{a.room.Theme.Rule("Agents", a.Filter.Note(note), listW, true)}
	if len(a.List.list) == 0 {
		return kit.Clip(append(lines, a.nothing(w)...), h)
	}

	table := a.table.shrunk(listW)
	lines = append(lines, table.heads(a.room.Theme, listW))
	for _, e := range a.List.inView() {
		if e.agent == nil {
			lines = append(lines, e.headLine(a.room.Theme, a.List.Sel, listW))
		} else {
			lines = append(lines, table.row(&a.cells, e.agent, listW, e.agent.ID == a.List.Sel))
		}
	}

	lines = kit.Clip(lines, listH)
	if viewH == 0 {
		return lines
	}

	s := a.List.selected()
	terminal := kit.Clip(a.preview.view(s, facts(&a.cells.branches, s), viewW, viewH), viewH)
	if a.room.Tier < kit.Wide {
		return append(lines, terminal...)
	}

	return kit.Beside(a.room.Theme, lines, terminal, listW)
}

func (a *Screen) nothing(w int) []string {
	text, style := a.room.Team.None(a.room.Key("L")), a.room.Theme.Plain
	switch {
	case !a.room.Link.Team:
		text, style = "Looking for agents…", a.room.Theme.Dim
	case a.Filter.Active():
		text = a.Filter.Nothing("agent")
	}
	var lines []string
	for _, line := range kit.Wrap(text, w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}

// order is how the agents are grouped.
type order int

const (
	byTrouble order = iota
	byGroup
	byHost
	byName
	byMessages
	byTokens
	byTime
	orders
)

var orderNames = []string{
	"by trouble", "by group", "by host", "by name", "by messages", "by tokens", "by time in state",
}

// compare orders two agents, the most first. sum returns how many messages one had in the last hour.
func (o order) compare(x, y *parley.AgentStatus, sum func(id string) int) int {
	switch o {
	case byGroup:
		return strings.Compare(cmp.Or(groupOf(x), lastGroup), cmp.Or(groupOf(y), lastGroup))
	case byHost:
		return strings.Compare(cmp.Or(x.Host, lastGroup), cmp.Or(y.Host, lastGroup))
	case byMessages:
		return sum(y.ID) - sum(x.ID)
	case byTokens:
		return cmp.Compare(tokensOf(y), tokensOf(x))
	case byTime:
		return x.Since.Compare(y.Since)
	case byTrouble:
		if by := team.Section(x) - team.Section(y); by != 0 || team.Section(x) != team.InTrouble {
			return by
		}
		return cmp.Or(team.UrgencyOf(x)-team.UrgencyOf(y), x.Since.Compare(y.Since))
	}
	return 0
}

func tokensOf(s *parley.AgentStatus) int64 {
	if s.Today == nil {
		return 0
	}
	return s.Today.Total()
}

// heading returns the heading that an agent belongs under; "" if this order has none.
func (o order) heading(s *parley.AgentStatus) string {
	switch o {
	case byTrouble:
		return team.SectionNames[team.Section(s)]
	case byGroup:
		if group := groupOf(s); group != "" {
			return kit.SafeLine(group)
		}
		return "In no group"
	case byHost:
		if s.Host != "" {
			return kit.SafeLine(s.Host)
		}
		return "On no host"
	}
	return ""
}

// lastGroup sorts after all names: agents in no group come last.
const lastGroup = "\U0010ffff"

func groupOf(s *parley.AgentStatus) string {
	if len(s.Groups) == 0 {
		return ""
	}
	return s.Groups[0]
}
