package agents

import (
	"fmt"
	"slices"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// Parts divides the screen between the list and the terminal, which gets half of it at least. Next to the list its
// place does not depend on what the list says; below it, it also takes the lines that the list leaves free.
func (a *Screen) Parts(w, h int) (listW, listH, viewW, viewH int) {
	switch {
	case !a.preview.open(a.Tier, h, h-a.room) || len(a.list) == 0:
		return w, h, 0, 0
	case a.Tier >= kit.Wide:
		listW = a.Dividers.ListWidth(room.AtAgents, min((w-3)/2, mostList), w)
		return listW, h, w - listW - 3, h
	}
	listH = a.Dividers.ListHeight(room.AtAgents, min(a.room, h/2), h)
	return w, listH, w, h - listH
}

// mostList is how many columns a list next to a terminal needs at most.
const mostList = 130

// roomSlack is by how many lines a list must shrink before the terminal below takes
// them: headings come and go as agents begin to work, and each would move it.
const roomSlack = 4

// makeRoom sets how many lines the list takes, its title and headings included.
func (a *Screen) makeRoom(entries int) {
	if need := entries + agentsHead; need > a.room || need+roomSlack <= a.room {
		a.room = need
	}
}

// agentsHead are the lines above the first agent.
const agentsHead = 2

func (a *Screen) Settle(w, h int) {
	all := a.entries()
	a.makeRoom(len(all))
	_, listH, _, viewH := a.Parts(w, h)
	a.height, a.seen = listH-agentsHead, viewH > 0
	i := slices.IndexFunc(all, func(e entry) bool { return a.Sel != "" && e.place() == a.Sel })
	a.top = kit.Window(a.top, i, len(all), a.height)
	if i > 0 && i-1 < a.top && all[i-1].agent == nil {
		a.top = i - 1 // its heading
	}
}

func (a *Screen) View(w, h int) []string {
	listW, listH, viewW, viewH := a.Parts(w, h)
	note := orderNames[a.order]
	if n := a.Picked.Count(); n > 0 {
		note = fmt.Sprintf("%d selected · ", n) + note
	}

	lines := []string{a.Theme.Rule("Agents", a.Filter.Note(note), listW, true)}
	if len(a.list) == 0 {
		return kit.Clip(append(lines, a.nothing(w)...), h)
	}

	table := a.table.shrunk(listW)
	lines = append(lines, table.heads(a.Theme, listW))
	for _, e := range a.inView() {
		if e.agent == nil {
			lines = append(lines, e.headLine(a.Theme, a.Sel, listW))
		} else {
			lines = append(lines, a.agentLine(e.agent, table, listW))
		}
	}

	lines = kit.Clip(lines, listH)
	if viewH == 0 {
		return lines
	}

	terminal := kit.Clip(a.preview.view(a.Theme, a.selected(), facts(&a.branches, a.selected()), viewW, viewH), viewH)
	if a.Tier < kit.Wide {
		return append(lines, terminal...)
	}

	return kit.Beside(a.Theme, lines, terminal, listW)
}

// temperature returns that of the hottest conversation that an agent is in.
func (a *Screen) temperature(s *parley.AgentStatus) team.Temperature {
	return a.Temperatures.Hottest(s.ID, a.Now)
}

// inView returns the entries that are drawn.
func (a *Screen) inView() []entry {
	all := a.entries()
	return all[kit.Clamp(a.top, 0, len(all)):kit.Clamp(a.top+a.height, 0, len(all))]
}

func (a *Screen) nothing(w int) []string {
	text, style := team.NoAgents, a.Theme.Plain
	switch {
	case !a.Link.Team:
		text, style = "Looking for agents…", a.Theme.Dim
	case a.Filter.Active():
		text = a.Filter.Nothing("agent")
	}
	var lines []string
	for _, line := range kit.Wrap(text, w-2) {
		lines = append(lines, "  "+style.Render(line))
	}
	return lines
}
