package agents

import (
	"fmt"

	"parley/tui/kit"
	"parley/tui/room"
)

// Parts divides the screen between the list and the terminal, which gets half of it at least. Next to the list its
// place does not depend on what the list says; below it, it also takes the lines that the list leaves free.
func (a *Screen) Parts(w, h int) (listW, listH, viewW, viewH int) {
	switch {
	case !a.preview.open(a.room.Tier, h, h-a.List.room) || len(a.List.list) == 0:
		return w, h, 0, 0
	case a.room.Tier >= kit.Wide:
		listW = a.room.Dividers.ListWidth(room.AtAgents, min((w-3)/2, mostList), w)
		return listW, h, w - listW - 3, h
	}
	listH = a.room.Dividers.ListHeight(room.AtAgents, min(a.List.room, h/2), h)
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
